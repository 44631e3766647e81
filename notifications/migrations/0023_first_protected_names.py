"""Fill the list of protected names with those that people in the United Kingdom trust most."""

from django.db import migrations

NAMES = (
    "Companies House",
    "DVLA",
    "DVSA",
    "DWP",
    "GOV.UK",
    "HM Government",
    "HMCTS",
    "HMPO",
    "HMRC",
    "Home Office",
    "NHS",
    "Police",
    "UK Gov",
    "UKVI",
)


def fill(apps, schema_editor):
    ProtectedName = apps.get_model("notifications", "ProtectedName")
    ProtectedName.objects.bulk_create(ProtectedName(name=name) for name in NAMES)


class Migration(migrations.Migration):
    dependencies = [("notifications", "0022_protected_names")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
