"""The console's pages of data sets and their tokens."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.audit import COMMAND
from config.audit.models import AuditEvent
from datasets import records, store, tokens
from datasets.models import AccessToken, DataGroup, DataSet, DataType

pytestmark = pytest.mark.django_db
NEW = {"group_name": "pay", "type_name": "weekly-volumes"}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def manager() -> Client:
    user = User.objects.create_user("mina", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="manage_data_sets"))
    return signed_in(user)


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("olu", is_staff=True)


@pytest.fixture
def data_set(owner: User) -> DataSet:
    group, type = DataGroup.objects.create(name="pay"), DataType.objects.create(name="volumes")
    made = DataSet.objects.create(group=group, type=type)
    made.owners.add(owner)
    return made


def fill(data_set: DataSet, count: int = 2) -> None:
    values = [{"_timestamp": f"2024-01-01T00:{n // 60:02}:{n % 60:02}Z", "_id": f"r{n}", "n": n} for n in range(count)]
    store.append(data_set.pk, records.check(values, auto_ids=()))


def page(name: str, *args: object) -> str:
    return reverse(f"admin:datasets_{name}", args=args)


def nonce(client: Client, url: str) -> dict[str, str]:
    found = re.search(r'name="nonce" value="([^"]+)"', client.get(url).content.decode())
    assert found, "the form carries no nonce"
    return {"nonce": found[1]}


def test_a_new_data_set_gets_a_write_token_that_is_shown_once(manager):
    url = page("dataset_add")
    sent = {**NEW, **nonce(manager, url)}

    first, again = manager.post(url, sent), manager.post(url, sent)

    secret = re.search(r"ds_[A-Za-z0-9_-]{43}", first.content.decode())
    assert secret
    assert "no-store" in first.headers["Cache-Control"]
    assert "/data/pay/weekly-volumes" in first.content.decode()
    token = AccessToken.objects.get()
    assert (token.token_hash, token.scopes) == (tokens.hash_secret(secret[0]), ["write"])
    assert again.status_code == 409
    assert secret[0] not in again.content.decode()
    assert not any(secret[0] in str(event.after) for event in AuditEvent.objects.all())


def test_the_form_of_a_new_data_set_suggests_groups_and_types_and_shows_the_url(manager, data_set):
    text = manager.get(page("dataset_add")).content.decode()

    assert '<datalist id="groups"><option value="pay"></datalist>' in text
    assert '<datalist id="types"><option value="volumes"></datalist>' in text
    assert "/data/&lt;group&gt;/&lt;type&gt;</code>" in text


@pytest.mark.parametrize(
    "wrong",
    [{"group_name": "Pay"}, {"type_name": "a b"}, {"retention_days": "0"}, {"auto_ids": "_x"}, {"type_name": ""}],
)
def test_an_invalid_setting_creates_nothing(manager, wrong):
    url = page("dataset_add")

    answer = manager.post(url, {**NEW, **wrong, **nonce(manager, url)})

    assert answer.status_code == 200
    assert not DataSet.objects.exists()


def test_a_path_in_use_is_rejected(manager, data_set):
    url = page("dataset_add")

    answer = manager.post(url, {"group_name": "pay", "type_name": "volumes", **nonce(manager, url)})

    text = answer.content.decode()
    assert f'The data set <a href="{page("dataset_overview", data_set.pk)}">pay/volumes</a> already exists.' in text


def test_a_data_set_without_an_expected_interval_is_created_although_browsers_send_the_unit(manager):
    url = page("dataset_add")
    sent = {
        "group_name": "pay",
        "type_name": "visits",
        "expected_every_seconds_0": "",
        "expected_every_seconds_1": "60",
    }

    manager.post(url, {**sent, **nonce(manager, url)})

    assert DataSet.objects.get(group__name="pay", type__name="visits").expected_every_seconds is None


def test_settings_can_change_and_the_path_cannot(manager, data_set, owner):
    sent = {
        "group_name": "x",
        "group": "9",
        "expected_every_seconds_0": "2",
        "expected_every_seconds_1": "86400",
        "auto_ids": "channel\n_timestamp",
        "public": "on",
        "owners": [owner.pk],
    }

    answer = manager.post(page("dataset_change", data_set.pk), sent)

    data_set.refresh_from_db()
    assert answer.status_code == 302
    assert (str(data_set), data_set.expected_every_seconds, data_set.public) == ("pay/volumes", 172_800, True)
    assert data_set.auto_ids == ["channel", "_timestamp"]
    assert AuditEvent.objects.get(verb="changed").data_set_id == data_set.pk


@pytest.mark.django_db(transaction=True)  # the pages run without an open transaction, as in production
def test_lists_and_pages_open_and_show_no_hash(manager, data_set):
    token, _ = tokens.issue(data_set, ["write"])
    fill(data_set)

    for url in (
        page("dataset_changelist"),
        page("dataset_change", data_set.pk),
        page("dataset_records", data_set.pk),
        page("dataset_empty", data_set.pk),
        page("dataset_remove", data_set.pk),
        page("datagroup_changelist"),
        page("datatype_changelist"),
        page("datagroup_change", data_set.group_id),
        page("accesstoken_changelist"),
        page("accesstoken_change", token.pk),
        page("accesstoken_rotate", token.pk),
        page("accesstoken_revoke", token.pk),
        reverse("admin:index"),
    ):
        answer = manager.get(url)
        assert answer.status_code == 200, url
        assert token.token_hash not in answer.content.decode()


def test_emptying_needs_the_typed_name(manager, data_set):
    fill(data_set)
    url = page("dataset_empty", data_set.pk)

    refused = manager.post(url, {"name": "pay/volume"})
    left = data_set.records.count()
    done = manager.post(url, {"name": "pay/volumes"})

    assert (refused.status_code, left) == (200, 2)
    assert done.status_code == 302
    data_set.refresh_from_db()
    assert data_set.records.count() == 0
    event = AuditEvent.objects.get(verb="emptied")
    assert (event.actor_label, event.before["records"]) == ("mina", 2)


def test_a_data_set_without_records_cannot_be_emptied(manager, data_set):
    shown = manager.get(page("dataset_empty", data_set.pk)).content.decode()

    assert "has no records: there is nothing to remove." in shown
    assert "Empty 0 records" not in shown


def test_only_an_empty_data_set_is_deleted_with_its_tokens(manager, data_set):
    tokens.issue(data_set, ["write"])
    fill(data_set)
    url = page("dataset_remove", data_set.pk)
    full = manager.post(url, {"name": "pay/volumes"})
    store.empty(data_set, by=COMMAND)

    wrong = manager.post(url, {"name": "pay/volume"})
    left = DataSet.objects.count()
    done = manager.post(url, {"name": "pay/volumes"})

    assert "Only an empty data set can be deleted." in full.content.decode()
    assert "Enter pay/volumes to confirm. Nothing has changed." in wrong.content.decode()
    assert (left, done.status_code) == (1, 302)
    assert not DataSet.objects.exists()
    assert not AccessToken.objects.exists()
    assert AuditEvent.objects.filter(verb="deleted", data_set_id=data_set.pk).exists()


def test_records_are_paged_without_an_id_in_the_url(manager, data_set):
    fill(data_set, 120)
    url, seen, cursor = page("dataset_records", data_set.pk), [], ""

    for _ in range(3):
        text = (manager.post(url, {"cursor": cursor}) if cursor else manager.get(url)).content.decode()
        seen += re.findall(r"<code>(r\d+)</code>", text)
        found = re.search(r'name="cursor" value="([^"]+)"', text)
        cursor = found[1] if found else ""

    assert seen == [f"r{n}" for n in reversed(range(120))]
    assert cursor == ""


def test_a_new_token_is_shown_once(manager, data_set):
    url = page("accesstoken_add")
    sent = {"data_set": data_set.pk, "scopes": ["read"], "note": "the dashboard", **nonce(manager, url)}

    answer = manager.post(url, sent)

    secret = re.search(r"ds_[A-Za-z0-9_-]{43}", answer.content.decode())
    token = tokens.find_live(secret[0])
    assert (token.scopes, token.note, str(token.created_by)) == (["read"], "the dashboard", "mina")
    assert manager.post(url, sent).status_code == 409
    assert AccessToken.objects.count() == 1


def test_rotating_issues_a_new_token_and_lets_the_old_one_expire(manager, data_set):
    token, old = tokens.issue(data_set, ["write", "read"])
    url = page("accesstoken_rotate", token.pk)

    answer = manager.post(url, {"days": "7", **nonce(manager, url)})

    secret = re.search(r"ds_[A-Za-z0-9_-]{43}", answer.content.decode())
    assert tokens.find_live(secret[0]).scopes == ["write", "read"]
    assert tokens.find_live(old).expires_at is not None


def test_revoking_applies_at_once_and_permanently(manager, data_set):
    token, secret = tokens.issue(data_set, ["write"])
    url = page("accesstoken_revoke", token.pk)

    asked, done = manager.get(url), manager.post(url)

    assert "Nobody can write to this data set until you issue another token." in asked.content.decode()
    assert done.status_code == 302
    with pytest.raises(tokens.TokenNotLive):
        tokens.find_live(secret)
    assert "cannot be used again" in manager.get(url).content.decode()


def test_an_owner_sees_their_own_data_set_only(owner, data_set):
    other = DataSet.objects.create(group=data_set.group, type=DataType.objects.create(name="other"))
    client = signed_in(owner)

    assert client.get(page("dataset_change", data_set.pk)).status_code == 200
    assert client.get(page("dataset_change", other.pk)).status_code == 404  # as for a row that does not exist
    assert client.get(page("dataset_empty", other.pk)).status_code == 404
    assert client.get(page("dataset_add")).status_code == 403
    assert client.get(page("datagroup_changelist")).status_code == 403
    assert "pay/other" not in client.get(page("dataset_changelist")).content.decode()
    refused = client.post(page("accesstoken_add"), {"data_set": other.pk, "scopes": ["read"]})
    assert not AccessToken.objects.exists(), refused.content


def test_staff_without_a_data_set_see_nothing(data_set):
    client = signed_in(User.objects.create_user("nobody", is_staff=True))

    assert client.get(page("dataset_changelist")).status_code == 403
    assert client.get(page("accesstoken_changelist")).status_code == 403
    assert client.get(page("dataset_records", data_set.pk)).status_code in {403, 404}


def test_the_form_of_a_group_or_type_shows_its_place_in_the_url(manager, data_set):
    new = manager.get(reverse("admin:datasets_datagroup_add")).content.decode()
    held = manager.get(reverse("admin:datasets_datagroup_change", args=[data_set.group_id])).content.decode()

    assert "/data/&lt;group&gt;/…" in new
    assert f"/data/{data_set.group}/…" in held


def test_a_group_or_type_in_use_cannot_change_or_be_deleted(manager, data_set):
    url = page("datagroup_change", data_set.group_id)

    manager.post(url, {"name": "renamed", "description": "Payments"})
    deleted = manager.post(page("datagroup_delete", data_set.group_id), {"post": "yes"})

    group = DataGroup.objects.get()
    assert (group.name, group.description) == ("pay", "Payments")
    assert "pay is part of the path of pay/volumes. Delete this data set first." in deleted.content.decode()


@pytest.mark.parametrize("lookup", ["tokens__token_hash__startswith=a", "token_hash__startswith=a", "q="])
def test_no_other_column_is_read_through_a_filter(manager, data_set, lookup):
    tokens.issue(data_set, ["write"])

    assert manager.get(f"{page('accesstoken_changelist')}?{lookup}").status_code in {200, 302, 400}
    if "token_hash" in lookup:
        assert manager.get(f"{page('accesstoken_changelist')}?{lookup}").status_code == 400


def test_a_list_of_many_data_sets_needs_no_more_queries_than_one_of_few(manager, data_set):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            answer = manager.get(page("dataset_changelist"))
        assert answer.status_code == 200
        return len(captured)

    queries()
    few = queries()
    for number in range(10):
        other = DataSet.objects.create(group=data_set.group, type=DataType.objects.create(name=f"t{number}"))
        tokens.issue(other, ["write"])

    assert queries() == few
