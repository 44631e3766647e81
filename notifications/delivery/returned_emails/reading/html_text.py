"""Turn the HTML of a stranger's email into plain text. The time is linear in the length, whatever the HTML is."""

import re
from html import unescape

_TAG = re.compile(r"(<[^<>]*>)")
_NAME = re.compile(r"</?\s*([a-z][a-z0-9]*)", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_SKIPPED = frozenset({"head", "script", "style", "title"})
_NEW_LINE = frozenset({"br", "div", "dt", "dd", "hr", "li", "tr", "pre", "center"})
_NEW_PARAGRAPH = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote"})
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_LONG_NUMBER = re.compile(r"&(?=#[0-9]{8})")  # no character has it, and Python refuses to convert 4,300 digits


def to_text(html: str) -> str:
    """Return the text of an HTML document, with the URL after the text of each link.

    >>> to_text("<style>p {}</style><p>High <b>water</b>&nbsp;at<br>noon: <a href='https://quay.example'>table</a>")
    'High water\\xa0at\\nnoon: table (https://quay.example)'
    """
    parts: list[str] = []
    skipped, url = "", ""
    for piece in _TAG.split(_without_comments(html)):
        if not piece.startswith("<"):
            if not skipped:
                parts.append(_SPACES.sub(" ", _unescaped(piece)))
            continue
        name, is_end = _name(piece), piece.startswith("</")
        if skipped:
            skipped = "" if is_end and name == skipped else skipped
        elif name in _SKIPPED and not is_end:
            skipped = name
        elif name == "a":
            if is_end and url and url not in "".join(parts[-3:]):
                parts.append(f" ({url})")
            url = "" if is_end else _url(piece)
        elif name in _NEW_PARAGRAPH:
            parts.append("\n\n")
        elif name in _NEW_LINE and not (is_end and name == "li"):
            parts.append("\n- " if name == "li" else "\n")
    lines = (line.strip(" ") for line in "".join(parts).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def _unescaped(text: str) -> str:
    return unescape(_LONG_NUMBER.sub("&amp;", text))


def _name(tag: str) -> str:
    found = _NAME.match(tag)
    return found[1].lower() if found else ""


def _url(tag: str) -> str:
    found = _HREF.search(tag)
    url = _unescaped(next((value for value in found.groups() if value), "")).strip() if found else ""
    return url if url.lower().startswith(("http://", "https://")) else ""


def _without_comments(html: str) -> str:
    kept, end = [], 0
    while (begin := html.find("<!--", end)) >= 0:
        kept.append(html[end:begin])
        close = html.find("-->", begin)
        if close < 0:
            return "".join(kept)
        end = close + 3
    return "".join([*kept, html[end:]])
