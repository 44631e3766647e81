"""What a row is called where a person reads it: `str(row)` names neither recipient nor content, and helps nobody.

A model says it by these attributes, none of which is needed:
title: what people who may see the row call it, where that is not `str(row)`
masked_title: what everyone else and the audit call it; it needs no rights
title_is_recipient: the title is an address or a number, and is masked like one
"""

from django.db import models

from config.audit.masking import mask


def whole(row: models.Model) -> str:
    return str(getattr(row, "title", "") or row)


def masked(row: models.Model) -> str:
    title = str(getattr(row, "masked_title", "") or whole(row))
    return mask(title) if getattr(row, "title_is_recipient", False) else title
