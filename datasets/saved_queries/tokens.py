"""Issue, find and revoke the tokens of saved queries. Each reads the answer of one query, and nothing else."""

import secrets

from django.contrib.auth.models import User
from django.utils import timezone

from datasets.models import QueryToken, SavedQuery
from datasets.tokens import hash_secret


def issue(saved_query: SavedQuery, *, by: User | None = None) -> tuple[QueryToken, str]:
    """Store a new token and return it with its secret, which cannot be shown again."""
    secret = "dq_" + secrets.token_urlsafe(32)
    token = QueryToken.objects.create(
        saved_query=saved_query, prefix=secret[:8], token_hash=hash_secret(secret), created_by=by
    )
    return token, secret


def find_live(secret: str) -> QueryToken | None:
    """Return the token that is not revoked, with its query and data set."""
    related = "saved_query__data_set__group", "saved_query__data_set__type"
    return QueryToken.objects.live().filter(token_hash=hash_secret(secret)).select_related(*related).first()


def revoke(token: QueryToken) -> bool:
    """Revoke the token. Return False if it was revoked before."""
    return bool(QueryToken.objects.live().filter(pk=token.pk).update(revoked_at=timezone.now()))
