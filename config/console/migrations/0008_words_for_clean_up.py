from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('operations', '0007_invite'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='retentionrun',
            options={'ordering': ['-started_at'], 'verbose_name': 'run of clean-up', 'verbose_name_plural': 'clean-up'},
        ),
    ]
