"""What the user and the run decide about the posted review."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReviewPolicy:
    """`settings_digest` (hex) names the settings that the review was made with; a re-run on the
    same head and settings edits its review. `marker_key` signs the hidden marker, see
    `marker.derive_key`; None leaves it unsigned. Changes are requested only if
    `request_changes` is set and a finding stands, found now or still open from before.
    """

    request_changes: bool = False
    settings_digest: str = ""
    marker_key: bytes | None = None
