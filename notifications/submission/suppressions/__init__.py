"""Suppressions and unsubscribe requests, from the API, the console and recipients."""
