"""What the build of the image runs."""
