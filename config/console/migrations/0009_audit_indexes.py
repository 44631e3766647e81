from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('operations', '0008_words_for_clean_up'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['object_id', '-at'], name='audit_event_object'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['object_kind', '-at'], name='audit_event_kind'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['verb', '-at'], name='audit_event_verb'),
        ),
    ]
