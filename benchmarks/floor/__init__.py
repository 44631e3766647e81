"""The floor: the least work of a Django service with a database for a request, for comparison with the product."""
