"""The cookie opens one file with one link for one hour. Case F10."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core import signing

from tests.notifications.download.sending import ADDRESS, SentFile, send_file

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 25, 12, tzinfo=UTC)


def name_of(file: SentFile, *, secure: bool = False) -> str:
    return f"{'__Host-' if secure else ''}f-{file.row.id.hex[:8]}"


def confirm(client, file: SentFile, **further) -> str:
    """Enter the right email address and return the cookie."""
    answer = client.post(file.path("confirm"), {"email_address": ADDRESS}, **further)
    return answer.cookies[name_of(file, secure=further.get("secure", False))].value


def signed(file_id: str, session: str) -> str:
    return signing.dumps({"f": file_id, "s": session}, salt="files.confirmed")


def test_the_cookie_of_the_file_opens_it_for_an_hour(client):
    file = send_file(expires_at=NOON + timedelta(days=1))

    with time_machine.travel(NOON, tick=False):
        confirm(client, file)
    with time_machine.travel(NOON + timedelta(minutes=59), tick=False):
        assert client.get(file.path("download")).status_code == 200
    with time_machine.travel(NOON + timedelta(minutes=61), tick=False):
        late = client.get(file.path("download"))

    assert (late.status_code, late["Location"]) == (303, file.path("confirm"))


@pytest.mark.parametrize(
    "cookie",
    [
        pytest.param(lambda file, other, right: None, id="none"),
        pytest.param(lambda file, other, right: "", id="empty"),
        pytest.param(
            lambda file, other, right: signed(str(other.row.id), other.key.session().hex()), id="other file's"
        ),
        pytest.param(lambda file, other, right: signed(str(file.row.id), other.key.session().hex()), id="other link's"),
        pytest.param(lambda file, other, right: signed(str(other.row.id), file.key.session().hex()), id="other id"),
        pytest.param(lambda file, other, right: right[:-1] + ("A" if right[-1] != "A" else "B"), id="tampered end"),
        pytest.param(lambda file, other, right: "A" + right[1:], id="tampered beginning"),
        pytest.param(lambda file, other, right: right.rpartition(":")[0], id="unsigned"),
        pytest.param(
            lambda file, other, right: signing.dumps({"f": str(file.row.id), "s": file.key.session().hex()}),
            id="signed for something else",
        ),
        pytest.param(lambda file, other, right: signing.dumps({}, salt="files.confirmed"), id="signed nothing"),
        pytest.param(lambda file, other, right: signing.dumps([1], salt="files.confirmed"), id="signed a list"),
    ],
)
@pytest.mark.fault("F10")
def test_no_other_cookie_opens_it(client, cookie):
    file, other = send_file(), send_file()
    value = cookie(file, other, confirm(client, file))
    client.cookies.clear()
    if value is not None:
        client.cookies[name_of(file)] = value

    for step in ("file", "download"):
        answer = client.get(file.path(step))
        assert (answer.status_code, answer["Location"]) == (303, file.path("confirm"))


def test_the_cookie_is_not_for_scripts_other_sites_and_plain_http(client):
    file = send_file()

    answer = client.post(file.path("confirm"), {"email_address": ADDRESS}, secure=True)

    (cookie,) = answer.cookies.values()
    assert cookie.key == f"__Host-f-{file.row.id.hex[:8]}"
    assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax")
    assert (cookie["path"], cookie["domain"], cookie["max-age"]) == ("/", "", 3600)


def test_over_plain_http_in_development_the_cookie_has_no_prefix(client):
    file = send_file()

    answer = client.post(file.path("confirm"), {"email_address": ADDRESS})

    (cookie,) = answer.cookies.values()
    assert (cookie.key, cookie["secure"]) == (f"f-{file.row.id.hex[:8]}", "")


def test_the_cookie_contains_neither_the_email_address_nor_the_key(client):
    file = send_file()

    content = signing.loads(confirm(client, file), salt="files.confirmed")

    assert content == {"f": str(file.row.id), "s": file.key.session().hex()}
    assert file.key.secret.hex() not in str(content)
