"""Authenticate requests by their access token. Source: docs/reference/data-sets.md §4."""

import structlog
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from config.rest.request import parse_bearer_token
from config.web.ip_addresses import client_ip
from datasets import store, tokens
from datasets.errors import TokenMissing, TokenNotLive
from datasets.models import AccessToken

READING = frozenset({"GET", "HEAD"})


def token_of(request: Request) -> AccessToken:
    """Return the valid token of the request. Raises TokenMissing."""
    if not isinstance(request.auth, AccessToken):
        raise TokenMissing
    return request.auth


def live_token(request: Request) -> AccessToken:
    """Return the token that the request carries, and count its use. Raises TokenMissing, TokenNotLive."""
    secret = parse_bearer_token(request.META.get("HTTP_AUTHORIZATION", ""))
    if secret is None:
        raise TokenMissing
    token = tokens.find_live(secret)
    structlog.contextvars.bind_contextvars(token_prefix=token.prefix, data_set=token.data_set_id)
    tokens.note_use(token, client_ip(request))
    store.call_counts.count_call(token.pk)
    return token


class AccessTokenAuthentication(BaseAuthentication):
    """Set `request.auth` to the valid token. Raises TokenMissing, TokenNotLive.

    OPTIONS needs no token. GET and HEAD on a public data set ignore the header, even if its token was revoked.
    """

    def authenticate(self, request: Request) -> tuple[None, AccessToken] | None:
        view = (request.parser_context or {})["view"]
        if request.method == "OPTIONS" or (request.method in READING and view.is_public):
            return None
        try:
            return None, live_token(request)
        except (TokenMissing, TokenNotLive):
            store.call_counts.count_unauthenticated_call(view.kwargs["group"], view.kwargs["type"])
            raise
