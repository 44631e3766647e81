from django.db import migrations


class Migration(migrations.Migration):
    """Rename the model alone: its table keeps its name, so the previous version can still write to it."""

    dependencies = [
        ('config', '0002_figures'),
    ]

    operations = [
        migrations.RenameModel('Figure', 'MetricValue'),
    ]
