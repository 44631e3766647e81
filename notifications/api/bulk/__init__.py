"""Bulk sends over HTTP. Source: docs/reference/bulk-sending.md §7, §8."""
