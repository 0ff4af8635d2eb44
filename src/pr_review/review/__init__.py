"""review: the one review that is posted."""
