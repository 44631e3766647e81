"""The chapters of the documentation about data sets, in Markdown. Their numbers are those of the code."""

from config.docs.parts import Chapter
from datasets.api.schema import operations

CHAPTERS = [Chapter(title=t, text="") for t in (operations.WRITING, operations.READING)]
