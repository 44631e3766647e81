"""Files that a page of the console sends to be saved."""

from collections.abc import Iterable

from django.http import StreamingHttpResponse

CSV = "text/csv; charset=utf-8"


def file_response(name: str, content: Iterable[str | bytes], *, content_type: str = CSV) -> StreamingHttpResponse:
    """Return a file that no cache stores. name: of the file, such as "results.csv"; content: its parts"""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)
