from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("triage", "0021_room_for_counters"),
    ]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="is_public",
            field=models.BooleanField(default=False),
        ),
    ]
