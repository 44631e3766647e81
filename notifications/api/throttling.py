"""The rate limit as REST framework asks for it: after authentication, before anything of the request is judged.

Source: the sending contract §4.1 step 2, §13.1.
"""

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from notifications.submission import rate


class RequestRate(BaseThrottle):
    """Counts every authenticated request, bad bodies too. Raises RateLimited, which says how long to wait."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        rate.check(request.auth)  # type: ignore[arg-type]  # an ApiKey, by our own authentication
        return True
