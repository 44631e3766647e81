"""Callbacks: HTTP calls to the URLs of a service, their signatures, retries and pauses."""
