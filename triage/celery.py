"""The Celery application, set up from Django's settings."""

from celery import Celery

app = Celery("triage")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["triage"])
