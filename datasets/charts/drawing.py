"""Draw a chart as an SVG or a PNG. Source: docs/reference/charts.md."""

import zlib
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Literal

from django.utils.safestring import SafeString

from datasets.charts import colours, texts
from datasets.charts.data import ChartData, Series
from datasets.charts.layout import Drawn, Size, laid_out

__all__ = ["DOCUMENT_POLICY", "ChartData", "Series", "document", "figure", "png", "svg"]

_FONT = Path(__file__).parent / "fonts" / "DejaVuSans.ttf"
_FAMILY = "DejaVu Sans"
_NARROW_PX = 560  # images below this width have the narrow form
_MARGIN = 12
_MIN_PX, _MAX_PX = 200, 2_400
_STYLE = colours.style()
# The content security policy of a chart that is a file of its own: only its own style.
DOCUMENT_POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; "
    "frame-ancestors 'none'"
)


def svg(chart: ChartData, *, size: Literal["wide", "narrow"] = "wide", key: str = "") -> SafeString:
    """Return the SVG for a page that loads charts.css. The title is for screen readers and not drawn.

    size: wide is for 560 pixels and more, narrow for phones and for tiles of half a page
    key: begins the ids of the SVG. A page that shows the same chart twice needs two keys
    """
    drawn = laid_out(chart, Size.of(size), has_heading=False)
    return SafeString(_svg(chart, drawn, f"{key or _key(chart)}-{size}", css_class=f"chart chart-{size}"))


def figure(chart: ChartData, *, key: str = "") -> SafeString:
    """Return both sizes in one element. charts.css shows the one that fits the width of the element."""
    both = svg(chart, size="wide", key=key) + svg(chart, size="narrow", key=key)
    return SafeString(f'<div class="chart-figure">{both}</div>')


def document(chart: ChartData, *, size: Literal["wide", "narrow"] = "wide") -> str:
    """Return the SVG as a file of its own with a heading. Responses need DOCUMENT_POLICY for its dark colours."""
    drawn = laid_out(chart, Size.of(size), has_heading=True)
    return _svg(chart, drawn, _key(chart), css_class="chart", style=_STYLE)


def png(chart: ChartData, width_px: int = 960) -> bytes:
    """Return an image in light colours with a heading. Raises ValueError for a width below 200 or over 2,400."""
    if not _MIN_PX <= width_px <= _MAX_PX:
        raise ValueError(f"The width of an image is between {_MIN_PX} and {_MAX_PX} pixels.")
    import resvg_py

    size = Size.of("narrow" if width_px < _NARROW_PX else "wide")
    source = _svg(chart, laid_out(chart, size, has_heading=True), "chart", css_class="chart")
    image = resvg_py.svg_to_bytes(
        svg_string=source,
        width=width_px,
        font_files=[str(_FONT)],
        font_family=_FAMILY,
        sans_serif_family=_FAMILY,
        skip_system_fonts=not texts.needs_other_fonts(source),
    )
    return bytes(image)


def _svg(chart: ChartData, drawn: Drawn, key: str, *, css_class: str, style: str = "") -> str:
    """Return the SVG. A file of its own is opaque and has a margin."""
    ground, margin = "", 0
    if drawn.has_ground:
        margin = _MARGIN
        width, height = drawn.width + 2 * margin, drawn.height + 2 * margin
        path = f"M-{margin}-{margin}h{width:g}v{height:g}h-{width:g}z"
        ground = f'<path class="chart-ground" fill="{colours.GROUND}" d="{path}"/>'
    box = f"{-margin} {-margin} {drawn.width + 2 * margin:g} {drawn.height + 2 * margin:g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{css_class}" viewBox="{box}" role="img" '
        f'aria-labelledby="{key}-title {key}-about" font-family="sans-serif" font-size="{drawn.font_size:g}">'
        f'<title id="{key}-title">{texts.escape(chart.title)}</title>'
        f'<desc id="{key}-about">{texts.escape(drawn.description)}</desc>'
        f"{f'<style>{style}</style>' if style else ''}{ground}{''.join(drawn.parts)}</svg>"
    )


def _key(chart: ChartData) -> str:
    """Return a prefix for ids that differs between charts, and is the same for the same chart."""
    return f"chart-{zlib.crc32(repr(chart).encode(errors='replace')):x}"
