"""Column files: Parquet copies of the records of large data sets. Source: docs/reference/column-files.md."""
