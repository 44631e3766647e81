"""What is counted in memory is handed out once, and comes back where it could not be stored."""

import pytest
from django.db import DatabaseError

from config.tally import Tally, storing

pytestmark = pytest.mark.django_db


def test_what_is_taken_is_counted_anew():
    tally: Tally[str] = Tally()
    tally.add("a")
    tally.add("a", 2)

    assert tally.take() == {"a": 3}
    assert tally.take() == {}


def test_beyond_its_most_only_keys_it_knows_are_counted():
    tally: Tally[str] = Tally(most=2)

    for key in "abcab":
        tally.add(key)

    assert tally.take() == {"a": 2, "b": 2}


def test_what_the_database_refuses_stays_and_adds_up():
    tally: Tally[str] = Tally()
    tally.add("a")
    taken = tally.take()

    with storing(lambda: tally.give_back(taken)):
        tally.add("a")
        raise DatabaseError

    assert tally.take() == {"a": 2}


def test_what_is_no_fault_of_the_database_is_raised():
    with pytest.raises(ZeroDivisionError), storing(lambda: None):
        raise ZeroDivisionError
