"""The chapters of the documentation about sending, in Markdown. Their numbers are those of the code."""

from config.docs.parts import Chapter
from notifications.api.schema import operations

CHAPTERS = [
    Chapter(title=t, text="")
    for t in (operations.SENDING, operations.READING, operations.TEMPLATES, operations.RECEIVED)
]
