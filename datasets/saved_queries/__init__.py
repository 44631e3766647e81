"""Saved queries: questions under a name, and their answers. Source: docs/reference/saved-queries.md."""
