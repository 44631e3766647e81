"""The prepared statement returns the same token as the ORM."""

from datetime import UTC, datetime

import pytest

from datasets import tokens
from datasets.models import AccessToken, token_by_hash
from tests.datasets.making import make_data_set, make_token

pytestmark = pytest.mark.django_db


def test_a_token_is_read_with_one_query_and_other_columns_are_deferred(django_assert_num_queries):
    settings = {"auto_ids": ["_timestamp", "é"], "retention_days": 3, "created_at": datetime(2024, 1, 1, tzinfo=UTC)}
    data_set = make_data_set(type="of-it", public=True, **settings)
    make_token(make_data_set(type="other"))
    token_hash = tokens.hash_secret(make_token(data_set))
    same = AccessToken.objects.select_related("data_set__group", "data_set__type").get(token_hash=token_hash)

    with django_assert_num_queries(1):
        found = token_by_hash(token_hash)
        own = found.data_set
        assert (own.name, own.auto_ids, own.public, own._state.adding) == (
            "pay_of_it",
            ["_timestamp", "é"],
            True,
            False,
        )
        assert (found.is_live, found.scopes, found.prefix, found.last_used_at) == (True, same.scopes, same.prefix, None)

    for one, other in ((found, same), (own, same.data_set), (own.group, data_set.group), (own.type, data_set.type)):
        for field in one._meta.concrete_fields:
            assert getattr(one, field.attname) == getattr(other, field.attname), field


def test_an_unknown_hash_finds_no_token():
    make_token(make_data_set())

    assert token_by_hash(tokens.hash_secret("ds_unknown")) is None
