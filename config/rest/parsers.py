"""One strict JSON parser for both areas. The differences between them are the attributes of a subclass.

How to use it. A view that wants Django REST framework's `request.data` names a subclass in `parser_classes`; a view
that has its own order of checks calls `read_json(request.META)` itself, which also judges a body of no bytes (there
REST framework would not call a parser at all):

    class NotificationJSONParser(StrictJSONParser):
        max_bytes = property(lambda self: settings.REQUEST_MAX_BYTES)

    value = NotificationJSONParser().read_json(request.META)

Both raise `body.BodyRefused` and `strict_json.JSONRefused`; each has a `reason`, and the area's exception handler has
the table reason → status and words. A wrong Content-Type is REST framework's UnsupportedMediaType as ever.
The defaults are those of the sending API: no content coding, no chunks (LENGTH_REQUIRED), no byte order mark, and
U+0000, lone surrogates and numbers out of range are not JSON. Whole numbers of up to 4,300 digits are exact.
"""

from collections.abc import Collection, Mapping
from typing import Any

from rest_framework.parsers import BaseParser

from config.rest import body, strict_json


class StrictJSONParser(BaseParser):
    """Content coding, then the cap, then gzip, UTF-8, depth, JSON, numbers, strings. Source: Security §3."""

    media_type = "application/json"
    max_bytes: int = 16 * 1024 * 1024
    codings: Collection[str] = ()
    chunked = False
    skip_mark = False
    storable = True

    def parse(
        self, stream: object, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:  # Any: as the base class has it
        if parser_context is None:
            raise TypeError("the parser reads the server's stream, which it finds through the request")
        return self.read_json(parser_context["request"].META)

    def read_json(self, environ: Mapping[str, Any]) -> object:
        """Return the JSON value of the body. Raises BodyRefused, JSONRefused."""
        body.check_coding(environ, allowed=self.codings)
        # By no name of ours, so that the bytes can go once they are text.
        return strict_json.loads(self.read_bytes(environ), skip_mark=self.skip_mark, storable=self.storable)

    def read_bytes(self, environ: Mapping[str, Any]) -> bytes:
        """Return the opened bytes. Raises BodyRefused."""
        return body.read(environ, max_bytes=self.max_bytes, gzip=bool(self.codings), chunked=self.chunked)

    def loads(self, data: bytes) -> object:
        """Return the value those bytes spell. Raises JSONRefused."""
        return strict_json.loads(data, skip_mark=self.skip_mark, storable=self.storable)
