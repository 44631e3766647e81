"""Test the audit events of signing in."""

from config.accounts import second_factor
from config.audit.models import AuditEvent
from config.console import audit_sentences
from tests.config.accounts.codes import CODE, PASSWORD, code_of, enrolled, password, wrong_code_of

WRONG = "wrong-password-1"


def sentences():
    return [audit_sentences.sentence(event) for event in AuditEvent.objects.order_by("at")]


def test_a_sign_in_and_a_sign_out_are_recorded(client, operator):
    password(client, REMOTE_ADDR="192.0.2.7")
    client.post("/admin/logout/")

    event = AuditEvent.objects.get(verb="signed_in")
    assert sentences() == ["mina signed in", "mina signed out"]
    assert (event.actor_id, event.object_id) == (str(operator.pk), str(operator.pk))
    assert event.ip_address == "192.0.2.7"


def test_the_kind_of_second_factor_is_recorded(client, operator):
    key = enrolled(operator)
    code = second_factor.new_recovery_codes(operator)[0]
    for typed in (code_of(key), code):
        password(client)
        client.post(CODE, {"code": typed})

    events = AuditEvent.objects.filter(verb="signed_in").order_by("at")
    assert [event.after["second_factor"] for event in events] == ["app", "recovery code"]


def test_a_rejected_sign_in_names_the_account_and_no_actor(client, operator):
    password(client, typed=WRONG)

    event = AuditEvent.objects.get()
    assert sentences() == ["Somebody entered a wrong password or code for “mina”"]
    assert (event.actor_id, event.object_id) == ("", str(operator.pk))


def test_an_account_that_does_not_exist_is_not_named(client, operator):
    password(client, "nobody", WRONG)

    assert sentences() == ["Somebody entered a wrong password or code for an account that does not exist"]
    assert "nobody" not in str(vars(AuditEvent.objects.get()))


def test_ten_rejected_sign_ins_and_one_lock_out_are_recorded(client, operator):
    for _ in range(15):
        password(client, typed=WRONG)

    verbs = list(AuditEvent.objects.values_list("verb", flat=True))
    assert (verbs.count("refused_sign_in"), verbs.count("locked_out"), len(verbs)) == (10, 1, 11)
    assert "Somebody was locked out after ten wrong passwords or codes for “mina”" in sentences()


def test_a_wrong_code_is_a_rejected_sign_in(client, operator):
    key = enrolled(operator)
    password(client)

    client.post(CODE, {"code": wrong_code_of(key)})

    assert sentences() == ["Somebody entered a wrong password or code for “mina”"]


def test_a_changed_password_is_recorded(console):
    form = {"old_password": PASSWORD, "new_password": "another-password-2", "again": "another-password-2"}
    console.post("/admin/password_change/", form)

    assert sentences() == ["mina changed their password"]
    assert "another-password-2" not in str(vars(AuditEvent.objects.get()))


def test_nothing_else_of_a_request_is_stored(client, operator):
    password(client, typed=WRONG, HTTP_USER_AGENT="somebody's own browser")

    assert "browser" not in str(vars(AuditEvent.objects.get()))
