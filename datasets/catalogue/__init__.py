"""Describe public data sets for catalogues of open data. Source: docs/reference/open-data.md."""
