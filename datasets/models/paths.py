"""The two parts of a data set's path: data group and data type."""

from django.db import models

_FORM = r"^[a-z0-9][a-z0-9_-]*\Z"  # max_length limits the length


class PathPart(models.Model):
    """A part of a path. Its name cannot change once a data set uses it, because callers have the URL."""

    name = models.CharField(max_length=60, unique=True)
    description = models.TextField(blank=True)

    class Meta:
        abstract = True
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class DataGroup(PathPart):
    class Meta(PathPart.Meta):
        constraints = [models.CheckConstraint(condition=models.Q(name__regex=_FORM), name="data_group_name_form")]


class DataType(PathPart):
    class Meta(PathPart.Meta):
        constraints = [models.CheckConstraint(condition=models.Q(name__regex=_FORM), name="data_type_name_form")]
