"""Names that teams may not give to a service, as its name or as a text message sender. Operators edit the list."""

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from notifications.validation import protected


class NameRule(models.TextChoices):
    """The people who cannot use a name. A general name does not identify a sender, so nobody can use it."""

    OPERATORS_ONLY = "operators_only", "Only operators can use it"
    TOO_GENERAL = "too_general", "Nobody can use it: too general"


class ProtectedNameQuerySet(models.QuerySet["ProtectedName"]):
    def check_name(self, name: str, *, may_protect: bool) -> None:
        """Raise InvalidValue if a new name looks like a name on the list.

        may_protect: whether the person may use the names that only operators can use
        """
        rows = list(self.values_list("name", "rule"))
        protected.check_not_general(name, [text for text, rule in rows if rule == NameRule.TOO_GENERAL])
        if not may_protect:
            protected.check_not_protected(name, [text for text, rule in rows if rule == NameRule.OPERATORS_ONLY])


MAX_LIKENESS = 1020  # characters; some letters become up to 18


class ProtectedName(models.Model):
    """A name on the list. Names that look like it are refused, too.

    likeness: equal for all names that look alike; blank for the second one of two of earlier releases
    """

    name = models.CharField(max_length=255)
    likeness = models.CharField(max_length=MAX_LIKENESS, blank=True, default="", db_default="", editable=False)
    rule = models.CharField(
        max_length=14,
        choices=NameRule.choices,
        default=NameRule.OPERATORS_ONLY,
        db_default=NameRule.OPERATORS_ONLY.value,
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)

    objects = ProtectedNameQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(Lower("name"), name="protected_name_unique"),
            models.UniqueConstraint(
                fields=["likeness"], condition=~models.Q(likeness=""), name="protected_name_likeness_unique"
            ),
        ]

    def __str__(self) -> str:
        return self.name
