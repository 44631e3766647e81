"""Return the title of a row for people. `str(row)` contains neither recipient nor content, so it may be logged.

A model may have these attributes:
title: the title for people who may see the row; the default is `str(row)`
masked_title: the title for the audit and for everybody else
title_is_recipient: the title is an email address or a phone number, and is masked like one
"""

from django.db import models

from config.audit.masking import mask


def whole(row: models.Model) -> str:
    return str(getattr(row, "title", "") or row)


def masked(row: models.Model) -> str:
    title = str(getattr(row, "masked_title", "") or whole(row))
    return mask(title) if getattr(row, "title_is_recipient", False) else title
