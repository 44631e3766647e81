"""The floor: the least a Django service with a database can do for a request, to hold the product against."""
