"""A browser without scripts: it opens pages over HTTP, fills in their forms and records the URLs."""

from html.parser import HTMLParser
from urllib.parse import urljoin

import requests


class Form:
    """The fields that a form would send unchanged, without its buttons."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.fields: dict[str, list[str]] = {}

    def add(self, name: str, value: str) -> None:
        self.fields.setdefault(name, []).append(value)


class _Forms(HTMLParser):
    """Collect the forms of a page: hidden and text fields, checked boxes, chosen options, text areas."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._area = ""
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(held.get("action", "")))
        elif not self.found:
            return
        elif tag == "input" and held.get("name"):
            is_box = held.get("type") in {"checkbox", "radio"}
            if not is_box or "checked" in held:
                self.found[-1].add(held["name"], held.get("value", "on" if is_box else ""))
        elif tag == "select":
            self._select = held.get("name", "")
        elif tag == "option" and self._select and "selected" in held:
            self.found[-1].add(self._select, held.get("value", ""))
        elif tag == "textarea":
            self._area = held.get("name", "")
            self.found[-1].add(self._area, "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""
        elif tag == "select":
            self._select = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.found[-1].fields[self._area][-1] += data


class Browser:
    """One person at the console. `visited`: every requested URL, including redirects."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.visited: list[str] = []
        self._session = requests.Session()
        self._session.headers["User-Agent"] = "a browser of the tests"

    def get(self, path: str) -> requests.Response:
        return self._noted(self._session.get(urljoin(self.url, path), timeout=60))

    def fill(self, path: str, button: str = "", **values: object) -> requests.Response:
        """Open a page and send its form with these values. `button`: the name of the pressed button."""
        return self.fill_on(self.get(path), button, **values)

    def upload(self, path: str, field: str, name: str, data: bytes) -> requests.Response:
        """Open a page and send its last form with a file."""
        page = self.get(path)
        parser = _Forms()
        parser.feed(page.text)
        sent = {name: value for name, value in parser.found[-1].fields.items() if name != field}
        files = {field: (name, data)}
        answer = self._session.post(page.url, data=sent, files=files, headers={"Referer": page.url}, timeout=60)
        return self._noted(answer)

    def fill_on(self, page: requests.Response, button: str = "", **values: object) -> requests.Response:
        """Send a form of an open page: the last one that has one of these fields, or else the last one."""
        assert page.status_code in {200, 409}, (page.status_code, page.url)
        parser = _Forms()
        parser.feed(page.text)
        fitting = [form for form in parser.found if set(form.fields) & set(values)] or parser.found
        form = fitting[-1]
        sent = {**form.fields, **values, **({button: "yes"} if button else {})}
        place = urljoin(page.url, form.action)
        answer = self._session.post(place, data=sent, headers={"Referer": page.url}, timeout=60)
        return self._noted(answer)

    def cookies(self) -> list[str]:
        return [str(cookie.value) for cookie in self._session.cookies]

    def _noted(self, answer: requests.Response) -> requests.Response:
        self.visited += [one.request.url or "" for one in (*answer.history, answer)]
        return answer
