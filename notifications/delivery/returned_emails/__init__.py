"""Emails that come back: bounces and complaints by email. Source: docs/reference/suppressions.md §5."""
