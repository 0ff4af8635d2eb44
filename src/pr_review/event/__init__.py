"""event: is this pull request ours to review?"""
