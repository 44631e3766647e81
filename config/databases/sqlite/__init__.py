"""SQLite with a lock that writers wait for."""
