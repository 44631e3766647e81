"""Every test vector of the data set contract over HTTP against a running service."""

import pytest

from tests import both_stores
from tests.datasets import vectors
from tests.datasets.vectors import Case, Player
from tests.service import Service

CASES = vectors.cases()


@pytest.fixture(scope="module")
def player(service: Service) -> Player:
    vectors.provision(service, CASES)
    return Player(service.url)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id, marks=both_stores.marks_of(case.vector)) for case in CASES]
)
@pytest.mark.fault("G6")
def test_vector(case: Case, player: Player):
    player.play(case)


def test_every_case_has_a_description():
    assert len(CASES) > 490
    assert all(case.vector["what"] for case in CASES)
