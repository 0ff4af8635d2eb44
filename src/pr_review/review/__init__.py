"""review: composes the one review and posts it."""

from pr_review.review.body import body, summary_body
from pr_review.review.compose import compose
from pr_review.review.marker import derive_key
from pr_review.review.policy import ReviewPolicy
from pr_review.review.post import Posted, post

__all__ = ["Posted", "ReviewPolicy", "body", "compose", "derive_key", "post", "summary_body"]
