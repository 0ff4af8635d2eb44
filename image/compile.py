"""Compiles the part that a run loads of the folders of which it loads a small part.

All other modules of the environment are compiled without a look at who imports them.
"""

from __future__ import annotations

import importlib
import py_compile
import sys

FOLDERS = ("litellm.proxy", "openai.resources", "openai.types")
# beyond LiteLLM itself, what it loads with the first answers and the first error of a provider
LOADED = (
    "litellm",
    "litellm.proxy.common_utils.timezone_utils",
    "litellm.proxy.guardrails.exception_utils",
    "litellm.proxy.openai_files_endpoints.common_utils",
    "litellm.proxy.spend_tracking.savings",
    "litellm.proxy.types_utils.utils",
    "openai.resources.chat.chat",
    "openai.resources.chat.completions.messages",
)


def main() -> None:
    """Imports what a run imports, and compiles what came from these folders."""
    for name in LOADED:
        importlib.import_module(name)
    folders = tuple(f"{folder}." for folder in FOLDERS)
    for name, module in sorted(sys.modules.items()):
        if f"{name}.".startswith(folders) and module.__file__:
            py_compile.compile(
                module.__file__,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )


if __name__ == "__main__":
    main()
