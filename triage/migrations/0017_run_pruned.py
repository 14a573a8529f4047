from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("triage", "0016_close_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="pruned_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
