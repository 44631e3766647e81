"""The pages where a recipient downloads a file. Source: docs/reference/files.md §9."""
