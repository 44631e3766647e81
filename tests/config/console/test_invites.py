"""Invites: a link that works once, for 7 days, stored as a hash. Source: docs/reference/console.md §2.7, §2.19."""

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError
from django.utils import timezone

from config.accounts import invites
from config.accounts.invite import Invite

pytestmark = pytest.mark.django_db


def test_an_invite_works_once():
    token = invites.make(by="mina", member_id=uuid.uuid4())
    invite = invites.find_live(token)

    assert invites.spend(invite)
    assert not invites.spend(invite)
    assert invites.find_live(token) is None


def test_an_invite_works_for_seven_days():
    token = invites.make(by="mina", user_id=7)
    invite = invites.find_live(token)

    with time_machine.travel(timezone.now() + timedelta(days=7, seconds=1)):
        assert invites.find_live(token) is None
        assert not invites.spend(invite)


def test_the_row_does_not_contain_the_token():
    token = invites.make(by="mina", member_id=uuid.uuid4())

    assert token not in str(Invite.objects.values())


def test_a_second_invite_ends_the_first():
    member = uuid.uuid4()
    first, other = invites.make(by="mina", member_id=member), invites.make(by="mina", member_id=uuid.uuid4())
    second = invites.make(by="mina", member_id=member)

    assert invites.find_live(first) is None
    assert invites.find_live(second)
    assert invites.find_live(other)


def test_live_invites_can_be_ended():
    token = invites.make(by="mina", user_id=7)

    assert invites.end(user_id=7) == 1
    assert invites.find_live(token) is None


@pytest.mark.parametrize("token", ["", "x", "\x00", "\ud800", "é" * 5000])
def test_an_invalid_token_finds_nothing(token):
    assert invites.find_live(token) is None


@pytest.mark.parametrize("ids", [{}, {"member_id": uuid.uuid4(), "user_id": 7}], ids=["nobody", "both"])
def test_an_invite_is_for_one_account_or_member(ids):
    with pytest.raises(IntegrityError):
        Invite.objects.create(token_hash="0" * 64, expires_at=timezone.now(), **ids)
