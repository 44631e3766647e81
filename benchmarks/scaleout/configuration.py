"""Read the files of `deploy` with the addresses of the stand. The proof then proves these files."""

from benchmarks.scaleout.network import NETWORK
from tests.servers import ROOT

_DOCUMENTED = "10.0.0."  # the addresses in `deploy`


def deployed(path: str, replaced: dict[str, str] | None = None) -> str:
    """Return a file of `deploy` with the replacements that its comments ask for. Raises LookupError."""
    text = (ROOT / "deploy" / path).read_text()
    for documented, ours in (replaced or {}).items():
        if documented not in text:
            raise LookupError(f"deploy/{path} has no {documented!r}")
        text = text.replace(documented, ours)
    return text.replace(_DOCUMENTED, NETWORK)
