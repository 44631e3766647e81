"""The SVG of a chart: well-formed whatever its names and values are, and nothing outside it."""

import io
import math
import re
import struct
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.charts.data import ChartData, Series
from datasets.charts.drawing import both_sizes, document, png, svg

NAMESPACE = "{http://www.w3.org/2000/svg}"
MONTHS = [f"2026-{month:02d}-01T00:00:00Z" for month in range(1, 13)]
ALLOWED = {"svg", "title", "desc", "path", "text", "g", "rect"}
HOSTILE = [
    "</title><script>alert(1)</script>",
    '" onload="alert(1)',
    "]]><!-- & &lt; {{ x }} %s",
    "\x00\x01\x1b\x7f\x85\ufffe\ud800 name",
    "a\u202egnp.exe",
    "z" + "\u0335\u0489\u0300" * 200,
    "W" * 5_000,
    "漢字" * 300,
    "👩‍👩‍👧‍👦" * 50,
    "\n\n\t",
    "",
]


def a_chart(kind: str = "bar", values=(1, 2, None), **given) -> ChartData:
    series = given.pop("series", [Series("web", list(values))])
    labels = given.pop("labels", [f"place {n}" for n in range(len(series[0].values))] if series else [])
    return ChartData(kind=kind, title="Title", description="About", labels=labels, series=series, **given)


def drawn(chart: ChartData, **given) -> ET.Element:
    return ET.fromstring(svg(chart, **given))  # noqa: S314 - own text


def texts(chart: ChartData) -> list[str]:
    return [element.text or "" for element in drawn(chart).iter(f"{NAMESPACE}text")]


def values_shown(chart: ChartData) -> list[str]:
    return [element.text or "" for element in drawn(chart).iterfind(f".//{NAMESPACE}rect/{NAMESPACE}title")]


def ends(element: ET.Element) -> list[tuple[float, float]]:
    """Return the upper and the lower end of each bar of a path."""
    bars = re.findall(r"M-?[\d.]+ (-?[\d.]+)h[\d.]+v([\d.]+)h", element.get("d", ""))
    return [(float(top), float(top) + float(high)) for top, high in bars]


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", ["line", "bar", "stacked_bar"])
def test_no_name_leaves_its_place(kind, hostile):
    chart = ChartData(
        kind=kind,
        title=hostile,
        description=hostile,
        labels=[hostile, "b", "c"],
        series=[Series(hostile, [1, 2, 3]), Series("other", [3, None, 1])],
        unit=hostile,
        target=2,
        target_label=hostile,
    )

    for source in (svg(chart), svg(chart, size="narrow"), document(chart)):
        root = ET.fromstring(source)  # noqa: S314 - own text
        wide = float(root.get("viewBox").split()[2])
        for element in root.iter():
            assert element.tag.removeprefix(NAMESPACE) in ALLOWED | {"style"}
            assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
            assert len(element.text or "") < 2_000 or element.tag.endswith(("title", "desc"))
            if element.tag.endswith("}text"):
                assert len(element.text or "") * 4 < wide  # more letters of this size have no room
    assert png(chart, 400).startswith(b"\x89PNG")


@given(
    st.sampled_from(["line", "bar", "stacked_bar"]),
    st.lists(st.lists(st.none() | st.integers() | st.floats(), min_size=4, max_size=4), max_size=11),
    st.none() | st.floats(),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_any_values_can_be_drawn(kind, values, target, is_percent):
    series = [Series(str(row), found, is_comparison=row % 3 == 2) for row, found in enumerate(values)]

    root = drawn(a_chart(kind, series=series, labels=list("abcd"), target=target, is_percent=is_percent))

    _, _, width, height = map(float, root.get("viewBox").split())
    for element in root.iter(f"{NAMESPACE}path"):
        assert "nan" not in element.get("d")
        assert "inf" not in element.get("d")
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", element.get("d")):
            assert -0.1 <= float(x) <= width + 0.1
            assert -0.1 <= float(y) <= height + 0.1


@pytest.mark.parametrize(
    ("values", "target", "is_right", "is_above"),
    [
        ([9, 9, 9, 9, 0, 0, 0, 0], 5, True, True),  # no line is near
        ([0, 9, 9, 9, 9, 9, 5.3, 5.3], 5, True, False),  # the line ends just above the target
        ([9, 9, 9, 9, 9, 5.4, 4.6, 5.4], 5, False, True),  # the line crosses it
    ],
)
def test_the_label_of_the_target_is_where_it_covers_no_line(values, target, is_right, is_above):
    chart = a_chart("line", values, target=target, target_label="Aim of the whole year", labels=list("abcdefgh"))
    root = drawn(chart)

    label = next(one for one in root.iter(f"{NAMESPACE}text") if (one.text or "").startswith("Aim"))
    line = root.find(f".//{NAMESPACE}path[@class='chart-target']").get("d")
    assert (float(label.get("x")) > 480, float(label.get("y")) < float(line.split()[1].split("H")[0])) == (
        is_right,
        is_above,
    )


def test_bars_start_at_zero_and_go_down_for_negative_values():
    root = drawn(a_chart(values=[100, -50, 98]))
    up, down, other = ends(root.find(f".//{NAMESPACE}path[@class='chart-fill-0 chart-bar']"))

    assert up[1] == down[0] == other[1]
    assert math.isclose(up[1] - up[0], 2 * (down[1] - down[0]), rel_tol=0.01)


def test_stacks_of_positive_and_negative_values_stand_on_the_same_line():
    root = drawn(a_chart("stacked_bar", series=[Series("a", [10]), Series("b", [-10]), Series("c", [10])]))
    first, second, third = (
        ends(root.findall(f".//{NAMESPACE}path[@class='chart-fill-{n} chart-bar']")[-1])[0] for n in range(3)
    )

    assert math.isclose(first[1], second[0], abs_tol=0.2)
    assert math.isclose(third[1], first[0], abs_tol=0.2)


def test_the_axis_of_lines_starts_above_zero_only_if_the_description_states_it():
    far, near = a_chart("line", [95, 96, 99], unit="%"), a_chart("line", [5, 50, 99])

    assert "95%" in texts(far)
    assert drawn(far).find(f"{NAMESPACE}desc").text == "About The vertical axis starts at 95%."
    assert "0" in texts(near)
    assert drawn(near).find(f"{NAMESPACE}desc").text == "About"


def test_a_chart_without_description_makes_one():
    chart = ChartData(
        kind="line", title="T", description="", labels=MONTHS, period="month", series=[Series("a", range(12))]
    )

    assert drawn(chart).find(f"{NAMESPACE}desc").text == (
        "From January 2026 to December 2026. Lowest value: 0. Highest value: 11."
    )


def test_a_gap_interrupts_the_line_and_a_single_value_is_a_dot():
    chart = a_chart("line", [1, 2, None, 3, None])
    line, dot = drawn(chart).iterfind(f".//{NAMESPACE}path[@class='chart-line-0']")

    assert line.get("d").count("M") == line.get("d").count("L") == 1
    assert dot.get("d").endswith("h0")
    assert values_shown(chart)[2] == "place 2: no value"


def test_eight_series_and_other_are_drawn():
    series = [Series(f"s{n}", [n, n]) for n in range(20)]

    with_other = values_shown(a_chart("line", series=series))[0].split("\n")
    without = values_shown(a_chart("line", series=series, may_add_up=False))[0].split("\n")

    assert with_other == ["place 0", *(f"s{n}: {n}" for n in range(12, 20)), f"Other: {sum(range(12))}"]
    assert without == with_other[:-1]


def test_a_ninth_series_is_other():
    series = [Series(f"s{n}", [n]) for n in range(1, 10)]

    assert values_shown(a_chart(series=series))[0].split("\n")[-2:] == ["s9: 9", "Other: 1"]
    assert values_shown(a_chart(series=series, may_add_up=False))[0].split("\n")[-1] == "s9: 9"


def test_comparisons_are_those_of_the_series_that_are_drawn():
    now = [Series(f"s{n}", [n]) for n in range(10)]
    before = [Series(f"s{n} before", [10 - n], is_comparison=True) for n in range(10)]

    shown = values_shown(a_chart(series=[*now, *before]))[0].split("\n")[1:]

    assert [line.partition(":")[0] for line in shown] == [
        *(f"s{n}" for n in range(2, 10)),
        "Other",
        *(f"s{n} before" for n in range(2, 10)),
        "Other",
    ]


def test_a_series_of_others_stays_apart_however_large_it_is():
    series = [Series("rest", [99, 99], is_other=True), *(Series(f"s{n}", [n, n]) for n in range(1, 9))]

    assert values_shown(a_chart("line", series=series))[0].split("\n")[1:] == [
        *(f"s{n}: {n}" for n in range(1, 9)),
        "rest: 99",
    ]


def test_a_comparison_has_the_colour_of_its_series_and_is_hollow():
    root = drawn(a_chart(series=[Series("now", [1, 2]), Series("before", [2, 1], is_comparison=True)]))

    assert root.find(f".//{NAMESPACE}path[@class='chart-fill-0 chart-bar']") is not None
    assert root.find(f".//{NAMESPACE}path[@class='chart-line-0']").get("fill") == "none"


@pytest.mark.parametrize(
    ("given", "value", "shown"),
    [
        ({}, 1234567, "1,234,567"),
        ({}, 0.1 + 0.2, "0.3"),
        ({}, 0.000123456, "0.00012346"),
        ({}, -0.0, "0"),
        ({"unit": "£", "decimals": 2}, -1234.5, "−£1,234.50"),
        ({"unit": "days"}, 12, "12 days"),
        ({"is_percent": True}, 0.8337, "83.4%"),
        ({"is_percent": True, "decimals": 0}, 0.8337, "83%"),
        ({}, 1e20, "1e+20"),
    ],
)
def test_a_value_is_written_with_its_unit(given, value, shown):
    assert values_shown(a_chart(values=[value], **given)) == [f"place 0: {shown}"]


def test_dates_follow_the_time_zone_and_the_language():
    hours = [f"2026-07-01T{hour:02d}:00:00Z" for hour in range(22, 24)]
    series = [Series("a", [1, 2])]

    local = a_chart(series=series, labels=hours, period="hour", time_zone="Europe/London", language="cy")

    assert values_shown(local) == ["1 Gorffennaf 2026, 23:00: 1", "2 Gorffennaf 2026, 00:00: 2"]


def test_hours_stand_at_even_hours_and_the_year_below_the_first_date():
    hours = [f"2026-07-0{1 + hour // 24}T{hour % 24:02d}:00:00Z" for hour in range(5, 65)]
    series = [Series("a", [1] * 60)]

    found = texts(a_chart("line", series=series, labels=hours, period="hour"))

    assert found.index("06:00") < found.index("1 Jul 2026") < found.index("12:00")
    assert "05:00" not in found
    assert "3 Jul 2026" in found


@pytest.mark.parametrize("count", [1, 2, 40, 400, 2_000])
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_dates_do_not_touch(count, size):
    days = [f"{1990 + n // 336}-{n // 28 % 12 + 1:02d}-{n % 28 + 1:02d}T00:00:00Z" for n in range(count)]
    root = drawn(a_chart("line", series=[Series("a", [1] * count)], labels=days, period="day"), size=size)

    dates = [e for e in root.iter(f"{NAMESPACE}text") if re.fullmatch(r"\d+ [A-Z][a-z]{2}", e.text or "")]
    places = [float(element.get("x")) for element in dates]
    assert 1 <= len(dates) <= 20
    assert all(after - before > 50 for before, after in pairwise(places))


def test_a_chart_without_values_states_it():
    assert "No values in this range" in texts(a_chart(values=[None, None]))
    assert "No values in this range" in texts(a_chart(series=[]))


def test_charts_of_a_page_have_ids_of_their_own():
    one, other = a_chart(values=[1]), a_chart(values=[2])

    ids = re.findall(r' id="([^"]+)"', both_sizes(one) + both_sizes(other) + both_sizes(one, key="again"))

    assert len(ids) == len(set(ids)) == 12


@pytest.mark.parametrize("width", [200, 400, 960, 2_400])
def test_an_image_is_as_wide_as_asked(width):
    image = png(a_chart(), width)

    assert struct.unpack(">I", io.BytesIO(image[16:20]).read())[0] == width


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "pie"},
        {"labels": ["a"], "series": [Series("a", [1, 2])]},
        {"labels": ["a"] * 2_001, "series": []},
        {"labels": ["a"] * 2_000, "series": [Series("a", [1] * 2_000)] * 6},
    ],
)
def test_a_wrong_chart_is_not_made(wrong):
    with pytest.raises(ValueError, match="chart"):
        a_chart(**{"kind": "bar", **wrong})


@pytest.mark.parametrize("width", [199, 2_401])
def test_an_image_has_a_limit(width):
    with pytest.raises(ValueError, match="between 200 and 2400"):
        png(a_chart(), width)
