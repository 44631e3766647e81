from django.db import migrations, models

KINDS = [
    ("downloaded", "Downloaded"),
    ("confirmed", "Email address confirmed"),
    ("wrong-email", "Wrong email address"),
    ("locked", "Locked after wrong email addresses"),
]


def rename(apps, schema_editor):
    events = apps.get_model("notifications", "DownloadEvent").objects.using(schema_editor.connection.alias)
    events.filter(kind="wrong-address").update(kind="wrong-email")


def restore(apps, schema_editor):
    events = apps.get_model("notifications", "DownloadEvent").objects.using(schema_editor.connection.alias)
    events.filter(kind="wrong-email").update(kind="wrong-address")


class Migration(migrations.Migration):
    dependencies = [("notifications", "0035_rename_owner_mail_and_indexes")]

    operations = [
        migrations.AlterField("downloadevent", "kind", models.CharField(choices=KINDS, max_length=13)),
        migrations.RunPython(rename, restore),
    ]
