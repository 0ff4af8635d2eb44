"""Scripts of the workflows, which need nothing but the standard library."""
