"""What a provider may post: a small JSON object, chunked or not."""

from config.rest.parsers import StrictJSONParser


class ReportParser(StrictJSONParser):
    max_bytes = 64 * 1024
    chunked = True
