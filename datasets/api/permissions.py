"""Check that a token belongs to the data set and has the scope for the method.

Source: docs/reference/data-sets.md §3, §4.
"""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from datasets.api.authentication import READING, token_of
from datasets.errors import NoSuchDataSet, ReadingNotAllowed, TokenOfAnotherDataSet, WritingNotAllowed
from datasets.models import DataSet


class IsTokenOfThisDataSet(BasePermission):
    """Raise TokenOfAnotherDataSet, or NoSuchDataSet if the path has no data set."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        group, type = view.kwargs["group"], view.kwargs["type"]
        if request.auth is None:
            return True
        own = token_of(request).data_set
        if (own.group.name, own.type.name) != (group, type):
            if DataSet.objects.at(group, type).exists():
                raise TokenOfAnotherDataSet
            raise NoSuchDataSet
        return True


class HasScope(BasePermission):
    """Raises WritingNotAllowed, ReadingNotAllowed."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.auth is None:
            return True
        token = token_of(request)
        if request.method in READING:
            if not token.may_read:
                raise ReadingNotAllowed
        elif not token.may_write:
            raise WritingNotAllowed
        return True
