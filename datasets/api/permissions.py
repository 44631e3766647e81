"""Check that a token belongs to the data set and has the scope for the method.

Source: docs/reference/data-sets.md §3, §4.
"""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from datasets.api.authentication import READING, token_of
from datasets.errors import (
    FilledBySignalbox,
    NoSuchDataSet,
    ReadingNotAllowed,
    TokenOfAnotherDataSet,
    WritingNotAllowed,
)
from datasets.models import AccessToken, DataSet


class HasToken(BasePermission):
    """Raise TokenOfAnotherDataSet, NoSuchDataSet if the path has no data set, or the error of the missing scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.auth is None:
            return True
        token = token_of(request)
        check_data_set(token, view.kwargs["group"], view.kwargs["type"])
        if request.method in READING and not token.may_read:
            raise ReadingNotAllowed
        if request.method not in READING and not token.may_write:
            raise WritingNotAllowed
        if request.method not in READING and token.data_set.is_of_product:
            raise FilledBySignalbox
        return True


class WritesDataSet(BasePermission):
    """Raise the errors of `HasToken` for calls that need the scope write, also to read."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.auth is None:  # OPTIONS
            return True
        token = token_of(request)
        check_data_set(token, view.kwargs["group"], view.kwargs["type"])
        if not token.may_write:
            raise WritingNotAllowed
        if request.method not in READING and token.data_set.is_of_product:
            raise FilledBySignalbox
        return True


def check_data_set(token: AccessToken, group: str, type: str) -> None:
    """Raise TokenOfAnotherDataSet, or NoSuchDataSet if the path has no data set."""
    own = token.data_set
    if (own.group.name, own.type.name) != (group, type):
        raise TokenOfAnotherDataSet if DataSet.objects.at(group, type).exists() else NoSuchDataSet
