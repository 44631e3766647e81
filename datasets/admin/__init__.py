"""The data set area's pages of the console."""

from datasets.admin import dashboards, data_sets, overview, paths, tokens

__all__ = ["dashboards", "data_sets", "overview", "paths", "tokens"]
