"""The pages of the sign-in through an OpenID Connect provider: begin and callback.

Source: docs/reference/security.md §5.
"""

from typing import Any

import structlog
from authlib.integrations.base_client import OAuthError
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET
from joserfc.errors import JoseError
from requests import RequestException

from config.accounts import sessions, single_sign_on
from config.accounts.claims import NotAllowed, VerifiedClaims
from config.console import sign_in, sign_in_audit
from config.console.referrers import keeps_query_private

_NEXT, _AGAIN_SINCE = "sign_on_next", "sign_on_again_since"
_CLOCKS_SECONDS = 60  # difference between the clocks of the provider and of this machine

log = structlog.get_logger()


@require_GET
def begin(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider. ?again=1: the person must sign in there again, even if they are signed in."""
    path = request.GET.get("next", "")
    request.session[_NEXT] = path if url_has_allowed_host_and_scheme(path, allowed_hosts=None) else ""
    demands: dict[str, Any] = {}
    request.session.pop(_AGAIN_SINCE, None)
    if "again" in request.GET:
        demands = {"prompt": "login", "max_age": 0}
        request.session[_AGAIN_SINCE] = timezone.now().timestamp()
    url = f"{settings.BASE_URL}{reverse('single-sign-on-callback')}"
    try:
        answer: HttpResponse = single_sign_on.client().authorize_redirect(request, url, **demands)
    except (OAuthError, RequestException, ValueError, KeyError) as error:
        return _refuse(request, "The sign-in provider cannot be reached. Try again, or sign in with a password.", error)
    return answer


@require_GET
@keeps_query_private
def callback(request: HttpRequest) -> HttpResponse:
    """Check what the provider sent, and sign in."""
    path, again_since = request.session.get(_NEXT, ""), request.session.get(_AGAIN_SINCE)
    try:
        token = single_sign_on.client().authorize_access_token(request)
        claims = single_sign_on.claims_of(token)
        if again_since is not None and not _is_since(claims.get("auth_time"), again_since):
            raise NotAllowed("Your sign-in provider did not ask you to sign in again. Ask its administrator.")
        user = single_sign_on.account_for(VerifiedClaims.of(claims))
    except NotAllowed as error:
        return _refuse(request, str(error), error)
    except (OAuthError, JoseError, RequestException, ValueError, KeyError) as error:
        return _refuse(request, "The sign-in did not work. Try again.", error)
    answer = sign_in.enter(request, user, path, is_proved=settings.OIDC_CHECKS_SECOND_FACTOR)
    request.session[sessions.THROUGH_PROVIDER] = token.get("id_token", "")
    return answer


def _is_since(auth_time: object, moment: float) -> bool:
    return isinstance(auth_time, (int, float)) and auth_time >= moment - _CLOCKS_SECONDS


def _refuse(request: HttpRequest, text: str, error: Exception) -> HttpResponse:
    """Show the sign-in page with the reason, which is in the audit, too.

    The log has the kind of error, never the provider's text. The audit names the account that was refused to the
    person, so that its operator can find out who tried to use it.
    """
    log.warning("sign_on.refused", error=type(error).__name__)
    account = error.account if isinstance(error, NotAllowed) else None
    sign_in_audit.note_refused_sign_on(request, account, text)
    messages.error(request, text)
    return HttpResponseRedirect(reverse("admin:login"))
