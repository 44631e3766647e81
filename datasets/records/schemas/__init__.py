"""Schemas of records: check a schema, validate records against it, and learn one. No framework is needed.

The libraries are imported with the first schema, because most processes use none.
Source: docs/reference/data-sets.md §22.
"""
