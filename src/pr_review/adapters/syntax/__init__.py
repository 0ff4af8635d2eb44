"""The door to tree-sitter: definitions, uses and imports of source files, read by queries."""

from pr_review.adapters.syntax.process import TreeSitter

__all__ = ["TreeSitter"]
