"""The door to git: two sources of changes, neither of which trusts any configuration."""

from pr_review.adapters.git.local import LocalSource, commit_id, default_branch, local_file
from pr_review.adapters.git.remote import RemoteSource

__all__ = ["LocalSource", "RemoteSource", "commit_id", "default_branch", "local_file"]
