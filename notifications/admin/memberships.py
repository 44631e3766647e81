"""Tell the list of accounts which services each belongs to. Source: Staff console §2.19."""

from collections import defaultdict
from collections.abc import Collection

from config.console import memberships
from notifications.models import TeamMember


def services_of(user_ids: Collection[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    members = TeamMember.objects.filter(user_id__in=user_ids, service__active=True)
    for user_id, name in members.order_by("service__name").values_list("user_id", "service__name"):
        found[user_id].append(name)
    return found


memberships.register(services_of)
