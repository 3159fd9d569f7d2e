"""Snippet files: read, executed in isolation, compared across frameworks, stored."""
