"""Bulk sends: check a table, accept it, and change what is not sent yet. Source: docs/reference/bulk-sending.md."""
