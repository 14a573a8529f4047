"""The Django application of the triage steps."""

import gc

from django.apps import AppConfig


class TriageConfig(AppConfig):
    """Registers models and loads Celery, so that modules without Django stay without it."""

    name = "triage"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load the Celery application, whose tasks register themselves."""
        from triage import celery  # noqa: F401

        # What is loaded by now stays until the end: the collector need not look at it each time,
        # and the processes of a worker go on sharing the memory that it lies in.
        gc.freeze()
