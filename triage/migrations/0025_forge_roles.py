import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('triage', '0024_read_access'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ForgeRole',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('viewer', 'viewer'), ('member', 'member'), ('decider', 'decider'), ('admin', 'admin')], max_length=8)),
                ('confirmed_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('repository', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='forge_roles', to='triage.repository')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='forge_roles', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('asked_at__isnull', False)), fields=['asked_at'], name='forge_role_asked')],
                'constraints': [models.UniqueConstraint(fields=('repository', 'user'), name='forge_role_is_unique'), models.CheckConstraint(condition=models.Q(('role__in', ['viewer', 'member', 'decider', 'admin'])), name='forge_role_known')],
            },
        ),
    ]
