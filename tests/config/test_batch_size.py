"""The size of batches follows the cost of a row, not that of a statement or a commit."""

import pytest

from config.jobs.batch_size import MOST, BatchSize


def settled(fixed: float, of_one: float, *, seconds: float = 0.02, fewest: int = 5, batches: int = 40) -> BatchSize:
    size = BatchSize(seconds, first=20, fewest=fewest)
    for _ in range(batches):
        size.learn(size.rows, fixed + of_one * size.rows)
    return size


@pytest.mark.parametrize("fixed", [0, 0.005, 0.05, 0.5])
def test_a_fixed_cost_does_not_shrink_the_batch(fixed: float) -> None:
    assert settled(fixed, 0.0001).rows >= 140  # 200 rows cost 0.02 s


@pytest.mark.parametrize(("of_one", "least", "most"), [(0.001, 5, 30), (0.0001, 140, 260), (0.000_001, MOST, MOST)])
def test_the_rows_of_a_batch_cost_as_much_as_they_may(of_one: float, least: int, most: int) -> None:
    assert least <= settled(0.01, of_one).rows <= most


def test_a_batch_never_has_fewer_rows_than_the_floor() -> None:
    assert settled(0, 10.0, fewest=200, batches=10).rows == 200


def test_a_machine_that_becomes_busy_gets_smaller_batches_and_larger_ones_again_later() -> None:
    size = settled(0.005, 0.00005)
    quiet = size.rows
    for _ in range(40):
        size.learn(size.rows, 0.2 + 0.001 * size.rows)
    busy = size.rows
    for _ in range(40):
        size.learn(size.rows, 0.005 + 0.00005 * size.rows)

    assert busy < quiet / 5
    assert size.rows > quiet / 2


def test_a_batch_grows_at_most_twofold_and_an_empty_one_changes_nothing() -> None:
    size = BatchSize(0.02, first=20, fewest=5)
    size.learn(0, 100.0)
    before = size.rows
    size.learn(20, 0.000_1)

    assert (before, size.rows) == (20, 40)
