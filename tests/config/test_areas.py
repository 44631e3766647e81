"""The registry of the areas' parts."""

from collections import Counter
from dataclasses import dataclass

import pytest

from config import areas
from config.accounts.scope import Access
from config.console.overview import Panel
from config.console.switcher import Switcher
from config.jobs.registry import Job


@dataclass(frozen=True)
class Lamp:
    name: str


@pytest.fixture
def lamps():
    areas.register("tests", Lamp("first"), "no lamp", Lamp("second"))
    yield
    areas.register("tests")


def test_a_reader_gets_the_parts_of_its_type_in_their_order(lamps):
    assert areas.parts(Lamp) == [Lamp("first"), Lamp("second")]


def test_an_area_registered_again_has_its_new_parts_only(lamps):
    areas.register("tests", Lamp("third"))

    assert areas.parts(Lamp) == [Lamp("third")]


@pytest.mark.parametrize(("kind", "number"), [(Access, 2), (Panel, 2), (Switcher, 1)])
def test_both_areas_have_registered_their_parts(kind, number):
    assert len(areas.parts(kind)) == number


def test_each_job_has_a_unique_name():
    names = Counter(job.name for job in areas.parts(Job))

    assert {name for name, number in names.items() if number > 1} == set()
