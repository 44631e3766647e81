"""The conditions of `where` and `having`: parsed once, then compiled for each engine.

`parsing` makes a Condition. `databases` compiles it to SQL of PostgreSQL and SQLite, `column_files.where` to SQL of
DuckDB, and `evaluating` applies it to a row of an answer. Source: docs/reference/data-sets.md §11 (where).
"""
