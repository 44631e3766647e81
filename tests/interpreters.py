"""An interpreter that finds what production installs, and none of the tools that stand beside it here.

What they bring with them hides what is missing from requirements.txt; and libraries load what they meet: rich, pygments
and jinja2 take memory of every process.
"""

import re
import venv
from importlib import metadata
from pathlib import Path

from tests.servers import ROOT

_NAME = re.compile(r"[\w.-]+")


def production(folder: Path) -> Path:
    """Make a virtual environment of what requirements.txt names, linked to what is here; return its Python."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        for place in _places(line):
            link = packages / place.name
            if not link.exists():
                link.symlink_to(place)
    return folder / "bin" / "python"


def _places(requirement: str) -> set[Path]:
    """Return the folders and files of a distribution; none where it is for other machines and not installed here."""
    found = _NAME.match(requirement)
    try:
        distribution = metadata.distribution(found[0] if found else requirement)
    except metadata.PackageNotFoundError:
        return set()
    names = {file.parts[0] for file in distribution.files or []}
    return {Path(str(distribution.locate_file(name))) for name in names - {"..", "__pycache__"}}
