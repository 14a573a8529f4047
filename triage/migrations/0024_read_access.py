from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("triage", "0023_identities"),
    ]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="is_public",
            field=models.BooleanField(default=False),
        ),
    ]
