"""What other tools found, from their SARIF files: results on changed lines become findings."""

from pr_review.checks.sarif.read import ToolResults, read

__all__ = ["ToolResults", "read"]
