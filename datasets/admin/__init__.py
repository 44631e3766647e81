"""The data set area's pages of the console."""

from datasets.admin import alarms, dashboards, data_sets, overview, paths, query_tokens, saved_queries, tokens

__all__ = ["alarms", "dashboards", "data_sets", "overview", "paths", "query_tokens", "saved_queries", "tokens"]
