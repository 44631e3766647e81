"""The data set area's pages of the console."""

from datasets.admin import audit_places, data_sets, overview, paths, tokens

__all__ = ["audit_places", "data_sets", "overview", "paths", "tokens"]
