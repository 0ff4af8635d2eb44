"""The door to GitHub's API: PyGithub is imported here and nowhere else."""

from pr_review.adapters.github.client import Client
from pr_review.adapters.github.pull_requests import GitHubPullRequests
from pr_review.adapters.github.rest_source import RestSource
from pr_review.adapters.github.reviews import GitHubReviews

__all__ = ["Client", "GitHubPullRequests", "GitHubReviews", "RestSource"]
