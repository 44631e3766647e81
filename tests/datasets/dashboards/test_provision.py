"""`manage.py provision` creates and changes dashboards, and publishes none."""

import pytest
from django.contrib.auth.models import User

from config.areas import DocumentErrors
from config.management.commands.provision import apply
from datasets.models import Dashboard
from tests.datasets.dashboards.making import SHARE
from tests.datasets.saved_queries.making import save

pytestmark = pytest.mark.django_db
TILES = [
    {"data_set": "pay/visits", "saved_query": "Share", "is_wide": True, "target": 0.8},
    {"title": "Notes", "text": "We count each visit once."},
]
WHOLE = {"name": "parks", "title": "Parks", "filter_field": "channel", "filter_values": ["web"], "tiles": TILES}


def provision(*dashboards):
    errors = DocumentErrors()
    completed = apply({"dashboards": list(dashboards)}, errors)
    return completed["dashboards"], errors.lines


@pytest.fixture(autouse=True)
def share(visits):
    return save(visits, SHARE, name="Share", chart="number")


def test_a_document_creates_a_dashboard_and_changes_nothing_the_second_time():
    User.objects.create_user("olu", is_staff=True)
    completed, errors = provision({**WHOLE, "owners": ["olu"], "embed_hosts": ["WWW.example.org"]})

    row = Dashboard.objects.get()
    tiles = list(row.tiles.values_list("pk", "saved_query__name", "is_wide", "target", "text"))
    assert errors == []
    assert completed[0]["visibility"] == row.visibility == "private"
    assert (row.slug, row.filter_values, row.embed_hosts) == ("parks", ["web"], ["www.example.org"])
    assert [tile[1:] for tile in tiles] == [("Share", True, 0.8, ""), (None, False, None, "We count each visit once.")]
    assert [owner.username for owner in row.owners.all()] == ["olu"]

    provision(WHOLE)
    assert [tile[0] for tile in tiles] == list(row.tiles.values_list("pk", flat=True))

    provision({"name": "parks", "title": "Our parks"})
    row.refresh_from_db()
    assert (row.title, row.filter_field, row.tiles.count()) == ("Our parks", "channel", 2)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"name": "Parks"}, "dashboards[0].name: Use 1 to 60 of a–z, 0–9 and -"),
        ({"title": "x" * 121}, "dashboards[0].title: must have at most 120 characters"),
        ({"owners": ["nobody"]}, "dashboards[0].owners: no active account has the user name nobody"),
        ({"filter_values": []}, "dashboards[0].filter_values: Enter both a field and the values"),
        ({"embed_hosts": ["*"]}, "dashboards[0].embed_hosts: “*” is not the name of a host"),
        ({"published": True}, "dashboards[0].published: is not a known key"),
        ({"tiles": [{}]}, "dashboards[0].tiles[0]: needs a saved_query with its data_set, or a text"),
        (
            {"tiles": [{**TILES[0], "data_set": "pay/other"}]},
            "dashboards[0].tiles[0].saved_query: is not a saved query",
        ),
        ({"tiles": [{**TILES[0], "hide_below": 5}]}, "dashboards[0].tiles[0].hide_below: Small values can be hidden"),
        ({"title": " "}, "dashboards[0].title: must not be blank"),
        (
            {"tiles": [{**TILES[0], "target": 10**400}]},
            "dashboards[0].tiles[0].target: must be a number of at most 308 digits",
        ),
        ({"tiles": [{**TILES[0], "target": "high"}]}, "dashboards[0].tiles[0].target: must be a number"),
        ({"tiles": [{"text": "x"}] * 25}, "dashboards[0].tiles: must have at most 24 tiles"),
    ],
)
def test_an_error_names_its_place_and_nothing_is_stored(changed, error):
    _, errors = provision({**WHOLE, **changed})

    assert [line for line in errors if line.startswith(error)], errors
    assert not Dashboard.objects.exists()


def test_a_dashboard_is_declared_once_and_a_new_one_has_a_title():
    assert provision(WHOLE, WHOLE)[1] == [
        "dashboards[0].name: is declared twice",
        "dashboards[1].name: is declared twice",
    ]
    assert provision({"name": "new"})[1] == ["dashboards[0].title: is required"]
