"""A folder of our own that is gone afterwards, even where its making or removal is interrupted."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import weakref
from pathlib import Path


class PrivateFolder:
    """A new temporary folder that only this user can look into.

    It goes with `remove`, else with this object, at the latest at the end of the process: the
    handler of a signal may raise anywhere.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.gettempdir()) / f"pr-review-git-{secrets.token_hex(8)}"
        self._removal = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self.path.mkdir(mode=0o700)

    def remove(self) -> None:
        try:
            shutil.rmtree(self.path, ignore_errors=True)
        finally:
            self._removal()
