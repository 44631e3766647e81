from django.db import migrations


def bind(apps, schema_editor):
    """Bind each saved query to the data sets that are at the paths of its measures now."""
    SavedQuery, DataSet = apps.get_model("datasets", "SavedQuery"), apps.get_model("datasets", "DataSet")
    for saved_query in SavedQuery.objects.iterator():
        question = saved_query.question if isinstance(saved_query.question, dict) else {}
        for name in ("measure", "divided_by"):
            measure = question.get(name)
            path = measure.get("data_set") if isinstance(measure, dict) else None
            if isinstance(path, str) and path:
                group, _, type = path.partition("/")
                found = DataSet.objects.filter(group__name=group, type__name=type).exclude(pk=saved_query.data_set_id)
                saved_query.other_sets.add(*found)


class Migration(migrations.Migration):
    few_rows = "At most 100 saved queries of a data set, and few of them measure two data sets."

    dependencies = [
        ('datasets', '0018_saved_query_sets'),
    ]

    operations = [
        migrations.RunPython(bind, migrations.RunPython.noop),
    ]
