"""Find what screen readers cannot use: references to missing ids, and groups, tables and buttons without a name."""

from collections import Counter
from html.parser import HTMLParser

REFERRING = ("for", "headers", "aria-describedby", "aria-labelledby", "aria-controls", "aria-activedescendant")
NAMING = ("aria-label", "aria-labelledby", "title")
NAMED_BY_TEXT = {"button": "button", "table": "caption", "fieldset": "legend"}
VOID = {"input", "img", "br", "hr", "link", "meta", "wbr", "col", "source"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.referred: dict[str, str] = {}
        self.problems: list[str] = []
        self._open: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        self.ids.update([held["id"]] if held.get("id") else [])
        start = self.get_starttag_text() or tag
        for name in REFERRING:
            self.referred |= dict.fromkeys(held.get(name, "").split(), start)
        if "for" in held and not held["for"]:
            self.problems.append(f"refers to nothing: {start}")
        if held.get("role") in {"group", "radiogroup"} and not any(map(held.get, NAMING)):
            self.problems.append(f"no name: {start}")
        if tag not in VOID:
            self._open.append(
                {"tag": tag, "start": start, "named": "yes" if any(map(held.get, NAMING)) else "", **held}
            )

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            one = self._open.pop()
            is_named = one["named"] or self._is_in_named_region() or "module" in one.get("class", "").split()
            if one["tag"] in NAMED_BY_TEXT and not is_named:  # console.js removes the role of a module
                self.problems.append(f"no name: {one['start']}")
            if one["tag"] == tag:
                break

    def handle_data(self, data: str) -> None:
        if data.strip():
            for number, one in enumerate(self._open):
                wanted = NAMED_BY_TEXT.get(one["tag"])
                if wanted == one["tag"] or wanted in {inner["tag"] for inner in self._open[number:]}:
                    one["named"] = "yes"

    def _is_in_named_region(self) -> bool:
        """Return whether the element is the content of a named region, such as a table that scrolls."""
        return any(one.get("role") == "region" and one["named"] for one in self._open[-2:])


def problems(html: str) -> list[str]:
    page = _Page()
    page.feed(html)
    page.close()
    missing = [f"no id {name}: {start}" for name, start in page.referred.items() if name not in page.ids]
    twice = [f"twice the id {name}" for name, number in page.ids.items() if number > 1]
    return [*page.problems, *missing, *twice]
