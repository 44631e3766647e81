"""Clean-up: the rules both areas fill in, and how a run of one goes. `rules` is what an area's app needs."""
