"""Calls out to a service's own addresses: what is posted, how it is signed, when again, and when no more."""
