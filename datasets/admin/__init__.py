"""The data set area's pages of the console."""

from datasets.admin import alarms, data_sets, overview, paths, tokens

__all__ = ["alarms", "data_sets", "overview", "paths", "tokens"]
