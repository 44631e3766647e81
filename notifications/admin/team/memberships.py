"""The services of accounts, for the list of accounts. Source: docs/reference/console.md §2.19."""

from collections import defaultdict
from collections.abc import Collection

from config.console.memberships import Memberships
from notifications.models import TeamMember


def services_of(user_ids: Collection[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    members = TeamMember.objects.filter(user_id__in=user_ids, service__active=True)
    for user_id, name in members.order_by("service__name").values_list("user_id", "service__name"):
        found[user_id].append(name)
    return found


MEMBERSHIPS = Memberships(services_of=services_of)
