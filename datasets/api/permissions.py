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
    ReadInPart,
    TokenOfAnotherDataSet,
    WritingNotAllowed,
)
from datasets.models import DataSet


class HasToken(BasePermission):
    """Raise TokenOfAnotherDataSet, NoSuchDataSet if the path has no data set, or the error of the missing scope.

    Raise FilledBySignalbox for a change of a data set of the product, and ReadInPart for a token of services if the
    view cannot limit its answer to their records.
    reading: the methods that need the scope read; all others need write
    """

    reading = READING

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.auth is None:
            return True
        token, group, type = token_of(request), view.kwargs["group"], view.kwargs["type"]
        own = token.data_set
        if (own.group.name, own.type.name) != (group, type):
            raise TokenOfAnotherDataSet if DataSet.objects.at(group, type).exists() else NoSuchDataSet
        if request.method in self.reading:
            if not token.may_read:
                raise ReadingNotAllowed
        elif not token.may_write:
            raise WritingNotAllowed
        if own.is_of_product:
            if request.method not in READING:
                raise FilledBySignalbox
            if token.services is not None and not getattr(view, "reads_in_part", False):
                raise ReadInPart
        return True


class MayWrite(HasToken):
    """As `HasToken`, for calls that need the scope write whatever their method."""

    reading = frozenset()
