"""Dashboards in the console: create, fill, order, preview, publish and close them."""

import re
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from datasets.models import Dashboard, DataSet, Tile, Visibility
from tests.datasets.dashboards.making import BY_MONTH, SHARE, add, make_dashboard, publish
from tests.datasets.making import make_data_set
from tests.datasets.saved_queries.making import save
from tests.people import browser_of, make_person

pytestmark = pytest.mark.django_db
NEW = {"title": "Visits", "slug": "", "title_cy": "", "summary": "", "summary_cy": "", "add_owner": ""}


@pytest.fixture
def owner(visits: DataSet) -> User:
    person = make_person("olu")
    visits.owners.add(person)
    return person


@pytest.fixture
def browser(owner: User) -> Client:
    return browser_of(owner)


@pytest.fixture
def own(dashboard: Dashboard, owner: User) -> Dashboard:
    dashboard.owners.add(owner)
    return dashboard


def url(name: str, *args: object) -> str:
    return reverse(f"admin:datasets_dashboard_{name}", args=args)


def texts(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def post(browser: Client, path: str, **values):
    """Fill in the form of a page as it was opened, and send it."""
    page = browser.get(path).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(nonce|started_from)" value="([^"]*)"', page))
    return browser.post(path, {**hidden, **values}, follow=True)


def test_an_owner_of_a_data_set_creates_a_dashboard_and_adds_tiles(browser, owner, visits):
    query = save(visits, BY_MONTH, name="Visits by month", chart="bar")

    made = post(browser, url("add"), **NEW, owners=[owner.pk])

    row = Dashboard.objects.get()
    assert made.redirect_chain[-1][0] == url("tiles", row.pk)
    assert list(row.owners.all()) == [owner]
    assert row.created_by == owner

    post(browser, url("add-tile", row.pk), saved_query=query.pk, title="", text="", is_wide="on")
    post(browser, url("add-tile", row.pk), saved_query="", title="Notes", text="Counted daily.")

    assert [(tile.place, tile.is_wide, tile.text) for tile in row.tiles.all()] == [
        (0, True, ""),
        (1, False, "Counted daily."),
    ]
    assert "Visits by month" in texts(browser.get(url("tiles", row.pk)))


def test_without_a_title_there_is_no_error_at_the_name_that_is_made_from_it(browser, owner):
    page = browser.post(url("add"), {**NEW, "title": "", "slug": "", "owners": [owner.pk]})

    assert page.context["adminform"].form.errors.keys() == {"title"}


def test_a_tile_needs_a_query_or_a_text(browser, own):
    page = browser.post(url("add-tile", own.pk), {"saved_query": "", "text": ""})

    assert "Choose a saved query, or enter a text." in texts(page)


def test_the_form_offers_only_queries_of_ones_own_data_sets(browser, own):
    theirs = save(make_data_set(type="secret"), BY_MONTH, name="Secret")

    page = browser.get(url("add-tile", own.pk))
    answer = browser.post(url("add-tile", own.pk), {"saved_query": theirs.pk})

    assert "Secret" not in texts(page)
    assert "Select a valid choice" in texts(answer)
    assert not Tile.objects.filter(saved_query=theirs).exists()


def test_a_ratio_cannot_hide_small_values(browser, own, visits):
    ratio = save(visits, SHARE, name="Share", chart="number")

    page = browser.post(url("add-tile", own.pk), {"saved_query": ratio.pk, "hide_below": 5})

    assert "not in a text or a ratio of two values" in texts(page)


def test_a_dashboard_has_at_most_24_tiles(browser, own):
    for _ in range(20):
        add(own, text="Text")

    page = browser.post(url("add-tile", own.pk), {"saved_query": "", "text": "One more"})

    assert "A dashboard has at most 24 tiles." in texts(page)
    assert own.tiles.count() == 24


@pytest.mark.parametrize(("moved", "place", "order"), [(0, 1, "1023"), (3, 0, "3012"), (1, 99, None), (2, -1, "2013")])
def test_buttons_move_a_tile(browser, own, moved, place, order):
    tiles = list(own.tiles.all())

    answer = browser.post(url("tiles", own.pk), {"tile": tiles[moved].pk, "place": place})

    after = "".join(str(tiles.index(tile)) for tile in own.tiles.all())
    assert after == (order or "0123")
    assert answer.status_code == (302 if order else 404)


def test_a_tile_is_changed_and_removed(browser, own):
    tile = own.tiles.last()

    post(browser, f"{url('tile', own.pk)}?tile={tile.pk}", saved_query="", title="Hints", text="Changed")
    tile.refresh_from_db()
    assert (tile.title, tile.text) == ("Hints", "Changed")

    browser.post(f"{url('tile', own.pk)}?tile={tile.pk}", {"remove": "1"})
    assert not own.tiles.filter(pk=tile.pk).exists()


@pytest.mark.parametrize("tile", ["", "x", "0", "9" * 30, "²"])
def test_a_tile_that_is_not_there_is_not_found(browser, own, tile):
    assert browser.get(url("tile", own.pk), {"tile": tile}).status_code == 404


def test_the_preview_shows_the_page_before_it_is_published(browser, own):
    page = browser.get(url("preview", own.pk))

    assert "This is a preview." in texts(page)
    assert "96.8%" in texts(page)
    assert "Download as CSV" not in texts(page)


def test_the_preview_hides_data_sets_that_its_reader_may_not_see(own):
    other = make_person("ada")
    own.owners.add(other)

    page = browser_of(other).get(url("preview", own.pk))

    assert texts(page).count("This part is not published.") == 3
    assert "96.8%" not in texts(page)


def test_publishing_needs_a_recent_sign_in_and_names_the_data_sets(browser, own, owner):
    page = browser.get(url("publish", own.pk))
    assert "Figures of these data sets are opened: pay/visits." in texts(page)

    done = browser.post(url("publish", own.pk), {"visibility": "public"}, follow=True)

    own.refresh_from_db()
    assert (own.visibility, own.published_by, len(own.opened_sets)) == (Visibility.PUBLIC, owner, 1)
    assert "/dashboards/visits" in texts(done)
    assert Client().get("/dashboards/visits").status_code == 200
    assert AuditEvent.objects.filter(verb="published_dashboard", object_id=str(own.pk)).count() == 2


def test_publishing_figures_of_people_names_what_readers_do_not_see(browser, own, visits):
    sentence = "Readers do not see counts below 5"
    assert sentence not in texts(browser.get(url("publish", own.pk)))

    DataSet.objects.update(personal=True)

    shown = texts(browser.get(url("publish", own.pk)))
    assert sentence in shown
    assert "“Digital take-up”, “Visits by channel” and “Visits by month” are about pay/visits." in shown


def test_publishing_after_a_long_session_asks_for_the_password(browser, own):
    session = browser.session
    session["proved_at"] = 0.0
    session.save()

    for page in ("publish", "new-link"):
        answer = browser.post(url(page, own.pk), {"visibility": "public"})
        assert urlsplit(answer.headers["Location"]).path == reverse("admin:confirm")
    own.refresh_from_db()
    assert own.visibility == Visibility.PRIVATE


def test_nobody_publishes_data_of_others(own, visits):
    other = make_person("ada")
    own.owners.add(other)

    page = browser_of(other).post(url("publish", own.pk), {"visibility": "public"})

    assert "You may not publish pay/visits." in texts(page)
    assert Client().get("/dashboards/visits").status_code == 404


def test_unpublishing_ends_the_page_and_its_link(browser, own):
    publish(own, Visibility.LINK)
    former = own.link_token
    assert former in texts(browser.get(url("sharing", own.pk)))

    browser.post(url("new-link", own.pk))
    own.refresh_from_db()
    assert own.link_token not in {"", former}

    browser.post(url("unpublish", own.pk))
    assert Client().get(f"/dashboards/visits?key={own.link_token}").status_code == 404


def test_the_filter_needs_a_field_and_its_values(browser, own, owner):
    path = url("change", own.pk)
    values = {**NEW, "owners": [owner.pk], "embed_hosts": "https://www.Example.gov.uk/\n", "filter_field": "channel"}

    wrong = post(browser, path, **values, filter_values="")
    assert "Enter both a field and the values" in texts(wrong)

    post(browser, path, **values, filter_values="web\r\nphone\r\n")
    own.refresh_from_db()
    assert (own.filter_field, own.filter_values) == ("channel", ["web", "phone"])
    assert own.embed_hosts == ["www.example.gov.uk"]


@pytest.mark.parametrize(
    "host", ["*", "https:", "a b", "localhost", "x.example; script-src *", "-a.example", "x.example:99999"]
)
def test_a_host_that_is_no_name_is_refused(browser, own, owner, host):
    page = post(browser, url("change", own.pk), **NEW, owners=[owner.pk], embed_hosts=host)

    assert "is not the name of a host" in texts(page)


def test_a_person_owns_at_most_20_dashboards(browser, owner, visits):
    for number in range(20):
        make_dashboard(slug=f"old-{number}").owners.add(owner)

    page = post(browser, url("add"), **NEW, owners=[owner.pk])

    assert "olu owns 20 dashboards." in texts(page)


def test_strangers_find_no_dashboard(own):
    stranger = browser_of(make_person("sam"))
    make_data_set("own", "set").owners.add(User.objects.get(username="sam"))

    assert "Visits to our service" not in texts(stranger.get(url("changelist")))
    for page in ("tiles", "preview", "sharing", "publish", "change", "delete"):
        assert stranger.get(url(page, own.pk)).status_code == 404


def test_a_manager_of_all_data_sets_deletes_a_dashboard_with_its_tiles(own):
    manager = make_person("mina")
    manager.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))

    answer = browser_of(manager).post(url("delete", own.pk), {"post": "yes"})

    assert answer.status_code == 302
    assert not Dashboard.objects.exists()
    assert not Tile.objects.exists()
    assert AuditEvent.objects.filter(verb="deleted", object_kind="dashboard").exists()


def test_a_data_set_that_a_dashboard_shows_is_not_deleted(browser, own, visits):
    visits.records.delete()

    page = browser.get(reverse("admin:datasets_dataset_remove", args=[visits.pk]))

    expected = "pay/visits is shown on “Visits to our service”. Remove its tiles from this dashboard first."
    assert expected in texts(page)
    assert DataSet.objects.filter(pk=visits.pk).exists()


def test_a_saved_query_that_a_dashboard_shows_is_not_deleted(browser, own):
    query = own.tiles.first().saved_query
    path = reverse("admin:datasets_savedquery_delete", args=[query.pk])

    page = browser.post(path, {"post": "yes"})

    assert "Digital take-up is shown on “Visits to our service”." in texts(page)
    assert type(query).objects.filter(pk=query.pk).exists()
