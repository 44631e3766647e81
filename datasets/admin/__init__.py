"""The data set area's pages of the console."""

from datasets.admin import addresses, audit_places, data_sets, overview, tokens

__all__ = ["addresses", "audit_places", "data_sets", "overview", "tokens"]
