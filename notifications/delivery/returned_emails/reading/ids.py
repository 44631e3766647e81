"""Find the ids of messages in Message-IDs of this installation."""

import re
from collections.abc import Iterator
from uuid import UUID


def ids_in(text: str, domain: str, *, is_all: bool = False) -> Iterator[UUID]:
    """Yield the ids in a header, in order. is_all: the header must have one and nothing else

    >>> list(ids_in("<x@y> <00000000-0000-0000-0000-000000000007@Notify.example>", "notify.example"))
    [UUID('00000000-0000-0000-0000-000000000007')]
    """
    own = re.compile(rf"<([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})@{re.escape(domain)}>", re.IGNORECASE)
    if not is_all:
        yield from (UUID(found[1]) for found in own.finditer(text))
    elif whole := own.fullmatch(text.strip()):
        yield UUID(whole[1])
