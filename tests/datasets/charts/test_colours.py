"""The colours of charts: readers without red, green or blue cones can tell each pair apart.

The matrices are those of Machado, Oliveira and Fernandes (2009) for severity 1.
"""

import math
import re
from itertools import combinations

import pytest

from datasets.charts import colours
from tests.servers import ROOT

Colour = tuple[float, float, float]
SIMULATED = {
    "all cones": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "no red cones": [(0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)],
    "no green cones": [(0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)],
    "no blue cones": [(1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)],
}
CSS = (ROOT / "datasets/static/datasets/charts.css").read_text()


def linear(colour: str) -> Colour:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def lab(colour: Colour) -> Colour:
    red, green, blue = (min(max(part, 0), 1) for part in colour)
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour: str, matrix: list[Colour]) -> Colour:
    source = linear(colour)
    red, green, blue = (sum(a * b for a, b in zip(row, source, strict=True)) for row in matrix)
    return lab((red, green, blue))


def contrast(colour: str, ground: str) -> float:
    lights = [sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear(c), strict=True)) for c in (colour, ground)]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.parametrize("reader", SIMULATED)
@pytest.mark.parametrize("palette", [colours.LIGHT, colours.DARK], ids=["light", "dark"])
def test_each_pair_of_colours_differs(palette, reader):
    distances = {
        pair: math.dist(*(seen(colour, SIMULATED[reader]) for colour in pair)) for pair in combinations(palette, 2)
    }

    assert {pair: distance for pair, distance in distances.items() if distance < 20} == {}


@pytest.mark.parametrize(
    ("palette", "ground"), [(colours.LIGHT, colours.GROUND), (colours.DARK, colours.DARK_GROUND)], ids=["light", "dark"]
)
def test_each_colour_has_contrast_with_its_ground(palette, ground):
    assert {colour: contrast(colour, ground) for colour in palette if contrast(colour, ground) < 3} == {}


def test_texts_have_contrast_with_their_ground():
    assert contrast(colours.TEXT, colours.GROUND) >= 4.5
    assert contrast(colours.DARK_TEXT, colours.DARK_GROUND) >= 4.5


def test_the_style_sheet_has_the_same_colours():
    rules = [re.search(rule, CSS, re.MULTILINE)[0] for rule in (r"^:root.*", r"^html\.dark.*")]
    light, dark = ([re.search(rf"--chart-{n}: (#\w+);", rule)[1] for n in range(9)] for rule in rules)

    assert (tuple(light), tuple(dark)) == (colours.LIGHT, colours.DARK)


def test_each_series_has_a_dash_of_its_own():
    assert len(set(colours.DASHES)) == len(colours.LIGHT) == len(colours.DARK) == colours.SERIES + 1
