"""Answer queries from column files, in the query process. Source: docs/reference/column-files.md §5."""
