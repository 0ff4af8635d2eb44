"""A run as SARIF 2.1.0: its findings as results, what was not seen as notifications."""

from pr_review.report.sarif.log import sarif_object, tells_all
from pr_review.report.sarif.results import FINGERPRINT, LINE_HASH

__all__ = ["FINGERPRINT", "LINE_HASH", "sarif_object", "tells_all"]
