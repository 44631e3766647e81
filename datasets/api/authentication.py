"""Who calls: the access token of a request. Source: Data Set contract §4."""

import structlog
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from config.console.audit import network_address
from config.rest.bearer import parse_bearer_token
from datasets import store, tokens
from datasets.errors import TokenMissing, TokenNotLive
from datasets.models import AccessToken

READING = frozenset({"GET", "HEAD"})


def token_of(request: Request) -> AccessToken:
    """Return the live token of a request that cannot do without one. Raises TokenMissing."""
    if not isinstance(request.auth, AccessToken):
        raise TokenMissing
    return request.auth


class AccessTokenAuthentication(BaseAuthentication):
    """Puts the live token into `request.auth`. Raises TokenMissing, TokenNotLive.

    OPTIONS needs none, and on a public data set GET and HEAD do not look at the header: even a revoked one reads.
    """

    def authenticate(self, request: Request) -> tuple[None, AccessToken] | None:
        view = (request.parser_context or {})["view"]
        if request.method == "OPTIONS" or (request.method in READING and view.is_public):
            return None
        try:
            token = self._live_token(request)
        except (TokenMissing, TokenNotLive):
            store.tallies.note_stranger(view.kwargs["group"], view.kwargs["type"])
            raise
        structlog.contextvars.bind_contextvars(token_prefix=token.prefix, data_set=token.data_set_id)
        tokens.note_use(token, network_address(request))
        store.tallies.note_call(token.pk)
        return None, token

    def _live_token(self, request: Request) -> AccessToken:
        secret = parse_bearer_token(request.META.get("HTTP_AUTHORIZATION", ""))
        if secret is None:
            raise TokenMissing
        return tokens.find_live(secret)
