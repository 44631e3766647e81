from django.db import migrations, models
from django.db.models.deletion import DO_NOTHING
from django.utils import timezone

from datasets.models.fields import CodePointTextField, JSONTextField

_RECORD = migrations.CreateModel(
    "Record",
    fields=[
        (
            "pk",
            models.CompositePrimaryKey(
                "store_id", "record_id", blank=True, editable=False, primary_key=True, serialize=False
            ),
        ),
        ("store_id", models.BigIntegerField(db_column="data_set_id")),
        ("record_id", CodePointTextField()),
        ("timestamp", models.DateTimeField()),
        ("start_at", models.DateTimeField(null=True)),
        ("end_at", models.DateTimeField(null=True)),
        ("body", JSONTextField()),
        ("updated_at", models.DateTimeField()),
        ("request_id", models.UUIDField(null=True)),
        (
            "token",
            models.ForeignKey(
                "datasets.accesstoken",
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=DO_NOTHING,
                related_name="+",
            ),
        ),
    ],
    options={
        "indexes": [models.Index(fields=["store_id", "timestamp", "record_id"], name="record_in_time")],
    },
)


def _give_back(apps, schema_editor):
    """Let each data set use the store of its own id again, as the previous release does."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT id, current_store FROM datasets_dataset WHERE current_store IS NOT NULL")
        for data_set_id, store_id in cursor.fetchall():
            cursor.execute("DELETE FROM datasets_record WHERE data_set_id = %s", [data_set_id])
            cursor.execute(
                "UPDATE datasets_record SET data_set_id = %s WHERE data_set_id = %s", [data_set_id, store_id]
            )


class Migration(migrations.Migration):
    """Let a data set continue with a new store after it was emptied. The table of records does not change."""

    few_rows = "nothing forwards; backwards the records of data sets that were emptied while they were large"
    replaces = [("datasets", "0006_stores")]
    dependencies = [("datasets", "0001_version_1_1")]

    operations = [
        migrations.CreateModel(
            "EmptiedStore",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("store_id", models.BigIntegerField(unique=True)),
                ("label", models.CharField(max_length=121)),
                ("records", models.BigIntegerField()),
                ("emptied_at", models.DateTimeField(default=timezone.now)),
            ],
        ),
        migrations.AddField("dataset", "current_store", models.BigIntegerField(editable=False, null=True)),
        migrations.AddConstraint(
            "dataset", models.UniqueConstraint(fields=["current_store"], name="data_set_store_unique")
        ),
        migrations.RunPython(migrations.RunPython.noop, _give_back),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("Record"), _RECORD]),
    ]
