"""The data set area's pages of the console."""

from datasets.admin import data_sets, overview, paths, query_tokens, saved_queries, tokens

__all__ = ["data_sets", "overview", "paths", "query_tokens", "saved_queries", "tokens"]
