"""The licences under which public records can be offered. Source: docs/reference/open-data.md §1."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Licence:
    """name: for people; url: the text of the licence, or its page at SPDX"""

    name: str
    url: str


def _cc(kind: str, version: str, name: str) -> Licence:
    return Licence(f"Creative Commons {name} {version}", f"https://creativecommons.org/licenses/{kind}/{version}/")


def _ogl(version: str) -> Licence:
    url = f"https://www.nationalarchives.gov.uk/doc/open-government-licence/version/{version}/"
    return Licence(f"Open Government Licence v{version}.0", url)


def _spdx(identifier: str, name: str) -> Licence:
    return Licence(name, f"https://spdx.org/licenses/{identifier}.html")


# By SPDX identifier, those in most use first.
LICENCES = {
    "OGL-UK-3.0": _ogl("3"),
    "OGL-UK-2.0": _ogl("2"),
    "OGL-UK-1.0": _ogl("1"),
    "CC0-1.0": Licence("Creative Commons Zero 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "CC-BY-4.0": _cc("by", "4.0", "Attribution"),
    "CC-BY-SA-4.0": _cc("by-sa", "4.0", "Attribution Share Alike"),
    "CC-BY-ND-4.0": _cc("by-nd", "4.0", "Attribution No Derivatives"),
    "CC-BY-NC-4.0": _cc("by-nc", "4.0", "Attribution Non Commercial"),
    "CC-BY-NC-SA-4.0": _cc("by-nc-sa", "4.0", "Attribution Non Commercial Share Alike"),
    "CC-BY-NC-ND-4.0": _cc("by-nc-nd", "4.0", "Attribution Non Commercial No Derivatives"),
    "CC-BY-3.0": _cc("by", "3.0", "Attribution"),
    "CC-BY-SA-3.0": _cc("by-sa", "3.0", "Attribution Share Alike"),
    "ODbL-1.0": Licence("Open Database License 1.0", "https://opendatacommons.org/licenses/odbl/1-0/"),
    "ODC-By-1.0": Licence("Open Data Commons Attribution 1.0", "https://opendatacommons.org/licenses/by/1-0/"),
    "PDDL-1.0": Licence("Open Data Commons Public Domain 1.0", "https://opendatacommons.org/licenses/pddl/1-0/"),
    "CDLA-Permissive-2.0": _spdx("CDLA-Permissive-2.0", "Community Data License Agreement Permissive 2.0"),
    "CDLA-Sharing-1.0": _spdx("CDLA-Sharing-1.0", "Community Data License Agreement Sharing 1.0"),
    "DL-DE-BY-2.0": _spdx("DL-DE-BY-2.0", "Data licence Germany Attribution 2.0"),
    "DL-DE-ZERO-2.0": _spdx("DL-DE-ZERO-2.0", "Data licence Germany Zero 2.0"),
    "etalab-2.0": _spdx("etalab-2.0", "Etalab Open License 2.0"),
    "NLOD-2.0": _spdx("NLOD-2.0", "Norwegian Licence for Open Government Data 2.0"),
    "OGL-Canada-2.0": _spdx("OGL-Canada-2.0", "Open Government Licence Canada 2.0"),
    "MIT": _spdx("MIT", "MIT License"),
    "Apache-2.0": _spdx("Apache-2.0", "Apache License 2.0"),
}
