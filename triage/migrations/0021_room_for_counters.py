from collections.abc import Callable

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

COUNTED = ("case", "epoch", "epochday", "epochhour", "epochlabel", "epochcircumstance")


def fill_pages_to(percent: int) -> Callable[[Apps, BaseDatabaseSchemaEditor], None]:
    """Return the step that leaves the rest of each page for rows that change in place.

    Every upload changes a row of these per case that it tells of. With room on its page such a
    change touches no index, and what it replaces is cleared away by the next one.
    """

    def change(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor == "postgresql":
            for table in COUNTED:
                schema_editor.execute(f"ALTER TABLE triage_{table} SET (fillfactor = {percent})")

    return change


class Migration(migrations.Migration):

    dependencies = [
        ("triage", "0020_requested_actions"),
    ]

    operations = [
        migrations.RunPython(fill_pages_to(50), fill_pages_to(100)),
    ]
