"""The data set area's pages of the console."""

from datasets.admin import data_sets, overview, paths, tokens

__all__ = ["data_sets", "overview", "paths", "tokens"]
