from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("operations", "0017_rename_encrypted_columns")]

    operations = [
        migrations.RenameModel("BackgroundStep", "BulkJobRun"),
        migrations.AlterModelTable("bulkjobrun", "operations_bulk_job_run"),
        migrations.RenameIndex("bulkjobrun", old_name="background_step_at", new_name="bulk_job_run_at"),
    ]
