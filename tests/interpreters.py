"""Create an interpreter that has only the packages of production, without development tools.

Their dependencies would hide packages that requirements.txt lacks, and libraries load optional ones: rich, pygments
and jinja2 take memory in every process.
"""

import re
import venv
from importlib import metadata
from pathlib import Path

from tests.servers import ROOT

_NAME = re.compile(r"[\w.-]+")


def production(folder: Path) -> Path:
    """Create a virtual environment with links to the packages of requirements.txt, and return its Python."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        for place in _places(line):
            link = packages / place.name
            if not link.exists():
                link.symlink_to(place)
    return folder / "bin" / "python"


def _places(requirement: str) -> set[Path]:
    """Return the folders and files of a distribution, or none if it is not installed on this platform."""
    found = _NAME.match(requirement)
    try:
        distribution = metadata.distribution(found[0] if found else requirement)
    except metadata.PackageNotFoundError:
        return set()
    names = {file.parts[0] for file in distribution.files or []}
    return {Path(str(distribution.locate_file(name))) for name in names - {"..", "__pycache__"}}
