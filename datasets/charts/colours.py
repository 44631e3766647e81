"""The colours and dashes of series. Source: docs/reference/charts.md §4.

Each pair differs with full colour vision and without red, green or blue cones: tests/datasets/charts/test_colours.py.
Attributes hold the light colours, because a content security policy does not forbid them. charts.css replaces them.
"""

SERIES = 8
LIGHT = ("#1d70b8", "#ff5a0f", "#3c1e4b", "#b4875a", "#961e00", "#a51eff", "#001e96", "#4b0f0f", "#6f777b")
DARK = ("#5694ca", "#d25a0f", "#ffc3ff", "#e1f03c", "#2df069", "#d200ff", "#b4785a", "#b4f0b4", "#a0a6ab")
DASHES = ("", "8 3", "2 4", "10 3 2 3", "5 5", "14 4", "1 5", "6 2 1 2", "3 2")

TEXT, GRID, TARGET, GROUND = "#505a5f", "#cecece", "#0b0c0c", "#ffffff"
DARK_TEXT, DARK_GRID, DARK_TARGET, DARK_GROUND = "#b1b8be", "#3a434d", "#f0f2f5", "#1a1f26"


def style() -> str:
    """Return the style of an SVG that is a file of its own: dark colours where the reader prefers them."""
    rules = [f".chart-fill-{n}{{fill:{colour}}}.chart-line-{n}{{stroke:{colour}}}" for n, colour in enumerate(DARK)]
    rules += [f".chart-text{{fill:{DARK_TEXT}}}.chart-heading{{fill:{DARK_TARGET}}}.chart-grid{{stroke:{DARK_GRID}}}"]
    rules += [f".chart-target{{stroke:{DARK_TARGET}}}.chart-ground{{fill:{DARK_GROUND}}}"]
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"
