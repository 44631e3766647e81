"""Names and teams that a database keeps unique, and empty lists that it sets, so that no INSERT sends them."""

from collections import defaultdict

from django.db import migrations, models
from django.db.models.functions import Lower

from notifications.validation.protected import likeness


def link_each_account_once(apps, schema_editor):
    """Give all roles of an account in a service to its first member. The others stay as recipients, without roles."""
    members = apps.get_model("notifications", "TeamMember").objects
    doubled = members.exclude(user=None).values("service", "user").annotate(n=models.Count("pk")).filter(n__gt=1)
    for double in doubled.order_by():
        first, *others = members.filter(service=double["service"], user=double["user"]).order_by("created_at", "pk")
        roles = {role for member in (first, *others) for role in member.roles}
        members.filter(pk__in=[member.pk for member in others]).update(user=None, roles=[])
        members.filter(pk=first.pk).update(roles=sorted(roles))


def give_names_to_the_first(apps, schema_editor):
    """Mark the names that only one service has, and the first service of each name that several have."""
    services = apps.get_model("notifications", "Service").objects
    named = defaultdict(list)
    for pk, name in services.order_by("created_at", "pk").annotate(low=Lower("name")).values_list("pk", "low"):
        named[name].append(pk)
    services.filter(pk__in=[same[0] for same in named.values()]).update(has_own_name=True)


def check_references_now(apps, schema_editor):
    """Check the changed references now: PostgreSQL adds no constraint to a table whose checks still wait."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def store_likeness(apps, schema_editor):
    """Store the likeness of each name. Of names that look alike, the first one gets it."""
    names = apps.get_model("notifications", "ProtectedName").objects
    first = {}
    for pk, name in names.order_by("pk").values_list("pk", "name"):
        first.setdefault(likeness(name)[:1020], pk)
    for alike, pk in first.items():
        names.filter(pk=pk).update(likeness=alike)


class Migration(migrations.Migration):
    few_rows = "one for each service, the members of its team, and the names that operators protect by hand"

    replaces = [
        ("notifications", "0076_empty_lists_of_new_messages"),
        ("notifications", "0077_service_names_and_team_accounts_unique"),
        ("notifications", "0079_likeness_of_protected_names"),
        ("notifications", "0080_number_formats_of_a_bulk_table"),
    ]
    dependencies = [("notifications", "0001_version_1_1")]

    operations = [
        migrations.AlterField("notification", "attempts", models.JSONField(db_default=[])),
        migrations.AlterField("notification", "receipts", models.JSONField(db_default=[])),
        migrations.AddField("bulktable", "unformatted", models.JSONField(db_default=[], default=list, editable=False)),
        migrations.AddField(
            model_name="service",
            name="has_own_name",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.RunPython(give_names_to_the_first, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(link_each_account_once, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(check_references_now, check_references_now, elidable=True),
        migrations.AddConstraint(
            model_name="service",
            constraint=models.UniqueConstraint(
                Lower("name"), condition=models.Q(has_own_name=True), name="service_name_unique_in_any_case"
            ),
        ),
        migrations.RemoveConstraint(model_name="teammember", name="team_member_email_unique"),
        migrations.AddConstraint(
            model_name="teammember",
            constraint=models.UniqueConstraint(
                fields=["service", "normalised_email"],
                condition=~models.Q(normalised_email=""),
                name="team_member_email_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="teammember",
            constraint=models.UniqueConstraint(fields=["service", "user"], name="team_member_account_unique"),
        ),
        migrations.AddField(
            model_name="protectedname",
            name="likeness",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=1020),
        ),
        migrations.RunPython(store_likeness, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="protectedname",
            constraint=models.UniqueConstraint(
                condition=models.Q(("likeness", ""), _negated=True),
                fields=("likeness",),
                name="protected_name_likeness_unique",
            ),
        ),
    ]
