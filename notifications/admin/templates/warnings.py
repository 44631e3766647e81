"""Warnings about a template, shown under the preview. They do not prevent saving.

Source: docs/reference/console.md §2.4.
"""

import re
from collections.abc import Collection

from notifications.rendering import placeholders

_OPEN_CONDITION = re.compile(r"\(\((?P<name>[^()?]+)\?\?(?![^()]*\)\))")
_SCHEME = re.compile(r"https?://|mailto:|tel:", re.IGNORECASE)
_BARE_URL = re.compile(r"www\.|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/", re.IGNORECASE)
_LOOKED_BACK = 200  # characters before a placeholder
_MOST = 50  # a page with 100,000 warnings helps nobody
_LONG_ENOUGH = 30  # letters; a shorter text in capitals may be a code


def warnings(*texts: str, files: Collection[str] = ()) -> list[str]:
    """Return the warnings. files: placeholders with a file as example value, whose link begins with https://."""
    whole = "\n".join(texts)
    found = []
    if whole.count("((") != whole.count("))"):
        found.append("The numbers of (( and )) differ. Close every placeholder with )).")
    found += [
        f"The condition (({match['name']}?? is not closed. End it with )), without other brackets inside."
        for match in _OPEN_CONDITION.finditer(whole)
    ]
    found += [
        f"There is a comma inside (({name})). A list of recipients cannot have a column with this name."
        for name in placeholders.with_comma(whole)
    ]
    found += [
        f"The link {target} does not begin with https://, so it may not become a link."
        for target in _links_without_scheme(whole, files)
    ]
    letters = [character for character in texts[-1] if character.isalpha()]
    if len(letters) > _LONG_ENOUGH and all(character.isupper() for character in letters):
        found.append("Text in CAPITALS is hard to read, and mail filters may treat it as spam.")
    return list(dict.fromkeys(found))[:_MOST]


def _links_without_scheme(text: str, files: Collection[str]) -> list[str]:
    found = []
    for match in placeholders.PLACEHOLDER.finditer(text):
        words = text[max(0, match.start() - _LOOKED_BACK) : match.start()].split()
        before = words[-1] if words and not text[match.start() - 1].isspace() else ""
        _, is_link, target = before.rpartition("](")
        if is_link:
            is_odd = not _SCHEME.match(target) and (bool(target) or match["inside"] not in files)
        else:
            target = before.lstrip("(<\"'*_")
            is_odd = bool(_BARE_URL.match(target))
        if is_odd:
            found.append(f"{target}{match[0]}")
    return found
