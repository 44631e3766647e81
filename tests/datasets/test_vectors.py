"""Every test vector of the data set contract, over HTTP against a running service."""

import pytest

from tests.datasets import vectors
from tests.datasets.vectors import Case, Player
from tests.service import Service

# The query language beyond the raw read; these areas are not collected until it is there.
WAITING_AREAS = {"filter", "period", "parameters", "group", "collect", "format", "sort"}
# Vectors of other areas whose requests speak that language.
WAITING_WORDS = ("group_by=", "period=", "sort_by=", "filter_by", "collect=", "format=")


def is_waiting(case: Case) -> bool:
    steps = (case.vector, *case.vector.get("then", []))
    paths = " ".join(step["request"]["path"] for step in steps)
    return case.vector["area"] in WAITING_AREAS or any(word in paths for word in WAITING_WORDS)


CASES = [case for case in vectors.cases() if not is_waiting(case)]


@pytest.fixture(scope="module")
def player(service: Service) -> Player:
    vectors.provision(service, CASES)
    return Player(service.url)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_vector(case: Case, player: Player):
    player.play(case)


def test_every_case_says_what_it_is_about():
    assert len(CASES) > 300
    assert all(case.vector["what"] for case in CASES)
