"""pr-review: a GitHub Action that reviews pull requests and accounts for what the model saw."""

__version__ = "0.1.0"
