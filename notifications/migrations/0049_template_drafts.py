from django.db import migrations, models


def delete_unpublished(apps, schema_editor):
    """Delete drafts before going back: the previous release would take them for published versions."""
    apps.get_model("notifications", "TemplateVersion").objects.exclude(state="published").delete()


class Migration(migrations.Migration):
    few_rows = "forwards none, backwards the drafts of the templates"
    dependencies = [
        ("notifications", "0048_suppressions"),
    ]

    operations = [
        migrations.AddField(
            model_name="templateversion",
            name="state",
            field=models.CharField(
                choices=[
                    ("published", "published"),
                    ("test", "test keys only"),
                    ("draft", "draft"),
                    ("replaced", "not published"),
                ],
                db_default="published",
                default="published",
                editable=False,
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            model_name="templateversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "draft")), fields=("template",), name="template_one_draft"
            ),
        ),
        migrations.AddConstraint(
            model_name="templateversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "test")), fields=("template",), name="template_one_for_test_keys"
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, delete_unpublished),
    ]
