"""The door to git: two sources of changes, neither of which trusts any configuration."""

from pr_review.adapters.git.local import LocalSource, commit_id, default_branch, local_file
from pr_review.adapters.git.remote import RemoteSource
from pr_review.adapters.git.worktree import Uncommitted

__all__ = [
    "LocalSource",
    "RemoteSource",
    "Uncommitted",
    "commit_id",
    "default_branch",
    "local_file",
]
