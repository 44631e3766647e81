"""The two words of an address: data group and data type."""

import re

from django.db import models

_WORD = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")

_WORD_IN_SQL = r"^[a-z0-9][a-z0-9_-]*\Z"  # the length is the column's


def is_word(text: str) -> bool:
    """1 to 60 characters of `a-z 0-9 - _`, beginning with a letter or digit. Source: Data Set contract §1.

    >>> [is_word(text) for text in ("pay", "weekly-volumes", "0_", "", "-a", "Pay", "é", "a" * 61)]
    [True, True, True, False, False, False, False, False]
    """
    return _WORD.fullmatch(text) is not None


class Word(models.Model):
    """What both words have. It is fixed once a data set uses it: it is a part of the URL, and that is a contract."""

    name = models.CharField(max_length=60, unique=True)
    description = models.TextField(blank=True)

    class Meta:
        abstract = True
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class DataGroup(Word):
    class Meta(Word.Meta):
        constraints = [
            models.CheckConstraint(condition=models.Q(name__regex=_WORD_IN_SQL), name="data_group_name_form")
        ]


class DataType(Word):
    class Meta(Word.Meta):
        constraints = [models.CheckConstraint(condition=models.Q(name__regex=_WORD_IN_SQL), name="data_type_name_form")]
