"""The settings of a data set in the console: owners, publishing, expected writes; and the pages of its tokens."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from datasets.models import AccessToken, DataSet
from tests.datasets.making import make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db


def person(name: str, **more: object) -> User:
    return User.objects.create_user(name, email=f"{name}@example.org", is_staff=True, **more)


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def maker() -> User:
    user = person("mina")
    user.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    return user


@pytest.fixture
def owner() -> User:
    return person("olu")


@pytest.fixture
def data_set(owner: User) -> DataSet:
    made = make_data_set()
    made.owners.add(owner)
    return made


def settings_of(data_set: DataSet) -> str:
    return reverse("admin:datasets_dataset_change", args=[data_set.pk])


def names(data_set: DataSet) -> list[str]:
    return sorted(data_set.owners.values_list("username", flat=True))


def text_of(answer) -> str:
    return unescape(answer.content.decode())


def test_the_creator_of_a_data_set_is_its_first_owner(maker):
    client = browser_of(maker)
    url = reverse("admin:datasets_dataset_add")
    form = client.get(url).content.decode()
    nonce = re.search(r'name="nonce" value="([^"]+)"', form)
    ticked = re.search(r'<input[^>]*name="owners"[^>]*checked[^>]*>', form)
    assert nonce
    assert ticked
    assert f'value="{maker.pk}"' in ticked[0]

    client.post(url, {"group_name": "pay", "type_name": "weekly", "owners": [maker.pk], "nonce": nonce[1]})

    assert names(DataSet.objects.get()) == ["mina"]


def test_saved_settings_are_shown_again(data_set, owner):
    answer = browser_of(owner).post(settings_of(data_set), {"owners": [owner.pk], "retention_days": "30"})

    assert answer["Location"] == settings_of(data_set)


@pytest.mark.parametrize("typed", ["sam", "SAM", " sam@example.org ", "Sam@Example.org"])
def test_an_owner_is_added_by_user_name_or_email_address(data_set, owner, typed):
    person("sam")

    browser_of(owner).post(settings_of(data_set), {"owners": [owner.pk], "add_owner": typed})

    assert names(data_set) == ["olu", "sam"]
    event = AuditEvent.objects.get(verb="changed")
    assert (event.before, event.after) == ({"owners": ["olu"]}, {"owners": ["olu", "sam"]})


@pytest.mark.parametrize("key", ["x", "", "9" * 30, "9223372036854775808", "-1"])
def test_an_owner_who_is_not_offered_is_rejected(data_set, owner, key):
    answer = browser_of(owner).post(settings_of(data_set), {"owners": [owner.pk, key]})

    assert answer.status_code == 200
    assert names(data_set) == ["olu"]


@pytest.mark.parametrize("typed", ["nobody", "gone", "x" * 254, "<b>"])
def test_an_unknown_owner_is_rejected_and_the_form_keeps_the_text(data_set, owner, typed):
    person("gone", is_active=False)

    answer = browser_of(owner).post(settings_of(data_set), {"owners": [owner.pk], "add_owner": typed})

    assert f"No active account has the user name or email address “{typed}”." in text_of(answer)
    assert names(data_set) == ["olu"]


def test_owners_do_not_see_the_names_of_other_accounts(data_set, owner, maker):
    person("sam")

    seen_by_owner = browser_of(owner).get(settings_of(data_set)).content.decode()
    seen_by_manager = browser_of(maker).get(settings_of(data_set)).content.decode()

    assert "sam" not in seen_by_owner
    assert '<option value="sam">' in seen_by_manager
    assert len(re.findall(r'<input[^>]*name="owners"', seen_by_manager)) == 1


def test_the_last_owner_stays_until_there_is_another_one(data_set, owner):
    client = browser_of(owner)
    person("sam")

    alone = client.post(settings_of(data_set), {})
    assert "A data set needs at least one owner. Add another owner first." in text_of(alone)
    assert names(data_set) == ["olu"]

    handed_over = client.post(settings_of(data_set), {"add_owner": "sam"}, follow=True)
    assert names(data_set) == ["sam"]
    assert client.get(settings_of(data_set)).status_code in {403, 404}
    assert "You are no longer an owner of pay/volumes." in text_of(handed_over)


def test_managers_may_leave_a_data_set_without_owners(data_set, maker):
    browser_of(maker).post(settings_of(data_set), {})

    assert names(data_set) == []


def test_making_records_public_needs_a_recent_sign_in(data_set, owner):
    recent, old = browser_of(owner), browser_of(owner)
    session = old.session
    session["proved_at"] = 0
    session.save()
    sent = {"owners": [owner.pk], "public": "on", "auto_ids": "channel"}

    refused = text_of(old.post(settings_of(data_set), sent))
    data_set.refresh_from_db()
    assert "To make the records public" in refused
    assert reverse("admin:confirm") in refused
    assert re.search(r">\s*channel</textarea>", refused)
    assert not data_set.public

    recent.post(settings_of(data_set), sent)
    data_set.refresh_from_db()
    assert data_set.public

    old.post(settings_of(data_set), {"owners": [owner.pk]})
    data_set.refresh_from_db()
    assert not data_set.public


@pytest.mark.parametrize(
    ("amount", "unit", "seconds"),
    [("1", "86400", 86_400), ("90", "60", 5_400), ("1", "1", 1), ("365", "86400", 31_536_000), ("", "86400", None)],
)
def test_the_expected_interval_is_an_amount_and_a_unit(data_set, owner, amount, unit, seconds):
    client = browser_of(owner)
    sent = {"owners": [owner.pk], "expected_every_seconds_0": amount, "expected_every_seconds_1": unit}

    client.post(settings_of(data_set), sent)

    data_set.refresh_from_db()
    assert data_set.expected_every_seconds == seconds
    form = client.get(settings_of(data_set)).content.decode()
    assert not amount or f'name="expected_every_seconds_0" value="{amount}"' in form
    assert re.search(f'<option value="{unit}"[^>]* selected', form)


@pytest.mark.parametrize(("amount", "unit"), [("366", "86400"), ("0", "1"), ("-1", "60"), ("x", "60"), ("1", "7")])
def test_an_invalid_interval_is_rejected(data_set, owner, amount, unit):
    sent = {"owners": [owner.pk], "expected_every_seconds_0": amount, "expected_every_seconds_1": unit}

    answer = browser_of(owner).post(settings_of(data_set), sent)

    assert answer.status_code == 200
    data_set.refresh_from_db()
    assert data_set.expected_every_seconds is None


def test_every_page_of_a_token_keeps_the_tabs_and_the_menu_entry(data_set, owner):
    make_token(data_set, "write")
    token = AccessToken.objects.get()
    client = browser_of(owner)
    pages = {
        word: reverse(f"admin:datasets_accesstoken_{word}", args=[token.pk]) for word in ("change", "rotate", "revoke")
    }
    pages["add"] = f"{reverse('admin:datasets_accesstoken_add')}?data_set={data_set.pk}"

    for word, url in pages.items():
        text = client.get(url).content.decode()
        tokens_tab = reverse("admin:datasets_dataset_tokens", args=[data_set.pk])
        assert f'<a href="{tokens_tab}" aria-current="page">For developers</a>' in text, word
    menu = client.get(pages["rotate"]).context["menu"]
    assert [place["title"] for group in menu for place in group["places"] if place["is_current"]] == ["Data"]


@pytest.mark.parametrize("wish", ["", "0", "x", "٣", "9" * 40])
def test_a_new_token_for_an_unknown_data_set_has_no_tabs(data_set, owner, wish):
    answer = browser_of(owner).get(reverse("admin:datasets_accesstoken_add"), {"data_set": wish})

    assert answer.status_code == 200
    assert "sb-tabs" not in answer.content.decode()


def test_the_admins_url_for_deleting_leads_to_the_right_page(data_set, maker):
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z"}])

    answer = browser_of(maker).get(reverse("admin:datasets_dataset_delete", args=[data_set.pk]), follow=True)

    assert answer.status_code == 200
    assert "pay/volumes has records. Only an empty data set can be deleted." in text_of(answer)
    assert reverse("admin:datasets_dataset_empty", args=[data_set.pk]) in text_of(answer)


def test_a_csv_export_has_the_columns_that_were_sent(data_set, owner):
    sent = {"_timestamp": "2024-01-01T00:00:00Z", "_id": "a", "_end_at": "2024-01-02T00:00:00Z", "Count": 1, "b": "x,y"}
    put_in(data_set, [sent, {"_timestamp": "2024-01-03T00:00:00Z", "_id": "b"}])
    url = reverse("admin:datasets_dataset_export", args=[data_set.pk])

    exported = b"".join(browser_of(owner).post(url, {"form": "csv"}).streaming_content).decode()

    assert exported.splitlines() == [
        "_timestamp,_id,_end_at,Count,b",
        '2024-01-01T00:00:00Z,a,2024-01-02T00:00:00Z,1,"x,y"',
        "2024-01-03T00:00:00Z,b,,,",
    ]


def test_an_invalid_date_is_not_a_search_without_results(data_set, owner):
    url = reverse("admin:datasets_dataset_records", args=[data_set.pk])

    text = text_of(browser_of(owner).post(url, {"start_at": "31.1.2024"}))

    assert "The records cannot be shown." in text
    assert "Correct the filters to see records." in text
    assert "No records match" not in text
    assert "such as 2024-01-31" in text
