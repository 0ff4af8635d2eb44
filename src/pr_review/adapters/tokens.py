"""The door to tiktoken: the o200k encoding, whose file ships inside LiteLLM."""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path
from threading import Lock

from pr_review.snapshot.ports import TokenCounter

# tiktoken takes its folder from the environment, which all threads share
_ENVIRONMENT = Lock()


class O200k:
    """Counts tokens with the o200k_base encoding, offline."""

    name = "o200k_base"

    def __init__(self) -> None:
        """Raises `OSError` where the encoding's file is not installed."""
        import tiktoken  # noqa: PLC0415 - 0.1 s, for runs that read a change alone

        folder = _bundled()
        with _ENVIRONMENT:
            before = os.environ.get("TIKTOKEN_CACHE_DIR")
            os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
            try:
                self._encoding = tiktoken.get_encoding(self.name)
            finally:
                os.environ.pop("TIKTOKEN_CACHE_DIR")
                if before is not None:
                    os.environ["TIKTOKEN_CACHE_DIR"] = before

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))


class BytesThird:
    """Where no encoding is found: bytes/3, rounded up, which over-counts most text."""

    name = "bytes/3"

    def count(self, text: str) -> int:
        return (len(text.encode("utf-8", "replace")) + 2) // 3


@cache
def token_counter() -> TokenCounter:
    """The best counter there is; its `name` says which."""
    try:
        return O200k()
    except (OSError, ImportError, ValueError):
        return BytesThird()


def _bundled() -> Path:
    """LiteLLM's folder of encodings, found without importing LiteLLM (it takes seconds)."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise OSError("litellm is not installed")
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    # tiktoken names its cache files by the sha1 of the download address.
    if not (folder / "fb374d419588a4632f3f557e76b4b70aebbca790").is_file():
        raise OSError(f"no o200k encoding in {folder}")
    return folder
