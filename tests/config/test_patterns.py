"""Regular expressions that each supported Python reads alike."""

import re

from tests.servers import ROOT

# Python 3.11.0 to 3.11.4, as in Debian 12, ends some matches of such a group too late or too early: in `a.b./`,
# `[\w-]++(?:\.[\w-]++)*+` finds `a.b.` and not `a.b`. An atomic group is right everywhere: `(?>(?:…)*)`.
POSSESSIVE_GROUP = re.compile(r"(?:(?<![(\\])\)|\{\w+\})[*+?]\+")


def test_no_group_has_a_possessive_quantifier() -> None:
    sources = {
        path: path.read_text()
        for area in ("config", "datasets", "notifications")
        for path in (ROOT / area).rglob("*.py")
    }

    assert [(path, found[0]) for path, text in sources.items() if (found := POSSESSIVE_GROUP.search(text))] == []


def test_a_possessive_group_is_found() -> None:
    assert POSSESSIVE_GROUP.search(r"(?:\.[a-z]++)*+")
    assert POSSESSIVE_GROUP.search("{_CHARACTER}*+")
    assert not POSSESSIVE_GROUP.search(r"[^)]*+ '()*+,-. (?>(?:ab)*)")
