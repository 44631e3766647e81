"""The data set area's pages of the console."""

from datasets.admin import addresses, data_sets, overview, tokens

__all__ = ["addresses", "data_sets", "overview", "tokens"]
