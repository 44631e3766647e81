"""Ratios of benchmarks are compared with those of the last release."""

import json

import pytest

from benchmarks.frame import history

SHARE = {"figure": "P3 batches", "ratio": 0.6, "target": ">= 0.55", "unit": "records/s"}
TIMES = {"figure": "P13 by year, ratio", "ratio": 1.2, "target": "<= 1.5", "unit": "s"}
SECONDS = {"figure": "P13 by year", "value": 0.5, "unit": "s"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "history.jsonl"
    history.keep([SHARE, TIMES, SECONDS], version="1.0.0", commit="abc1234", file=path)
    return path


def test_only_ratios_are_kept(file):
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {"version": "1.0.0", "commit": "abc1234", "figure": "P3 batches", "ratio": 0.6, "target": ">= 0.55"},
        {"version": "1.0.0", "commit": "abc1234", "figure": "P13 by year, ratio", "ratio": 1.2, "target": "<= 1.5"},
    ]


def test_a_share_that_fell_and_a_multiple_that_rose_are_named(file):
    assert history.worse([{**SHARE, "ratio": 0.53}, {**TIMES, "ratio": 1.4}, SECONDS], file) == [
        "P3 batches: the ratio is 0.53. It was 0.6 in 1.0.0 (abc1234).",
        "P13 by year, ratio: the ratio is 1.4. It was 1.2 in 1.0.0 (abc1234).",
    ]


def test_ten_percent_and_better_ratios_are_not_named(file):
    better = [{**SHARE, "ratio": 0.9}, {**TIMES, "ratio": 0.4}]

    assert history.worse([{**SHARE, "ratio": 0.55}, {**TIMES, "ratio": 1.3}, *better], file) == []


def test_a_figure_without_history_is_not_named(file):
    assert history.worse([{**SHARE, "figure": "P99", "ratio": 0.01}], file) == []
    assert history.worse([{**SHARE, "ratio": 0.01}], file.with_name("none")) == []


def test_the_last_version_counts_and_a_version_is_kept_once(file):
    for ratio in (0.4, 0.3):
        history.keep([{**SHARE, "ratio": ratio}], version="1.1.0", commit="def5678", file=file)

    assert len(file.read_text().splitlines()) == 3
    assert history.worse([{**SHARE, "ratio": 0.29}], file) == []
