"""The Django application of the triage steps."""

from django.apps import AppConfig


class TriageConfig(AppConfig):
    """Registers models and loads Celery, so that modules without Django stay without it."""

    name = "triage"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load the Celery application, whose tasks register themselves."""
        from triage import celery  # noqa: F401
