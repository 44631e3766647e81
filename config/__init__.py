"""The base of both areas. It imports neither of them."""
