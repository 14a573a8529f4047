"""The Celery application, set up from Django's settings."""

import logging
import os
from typing import Any

from celery import Celery, Task
from celery.signals import setup_logging, task_postrun, task_prerun

from triage.logs import set_context

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")

app = Celery("triage")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["triage"])


@setup_logging.connect
def keep_logging(loglevel: int, **_: Any) -> None:
    """Leave the handlers as settings made them; Celery would put its own in their place."""
    logging.getLogger("celery").setLevel(loglevel)


@task_prerun.connect
def name_task(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    """Name the task in its log lines, and the request that it was handed over by."""
    request_id = (task.request.headers or {}).get("request_id")
    set_context(task_id=task_id, request_id=request_id)


@task_postrun.connect
def forget_task(**_: Any) -> None:
    """What comes next in this process belongs to something else."""
    set_context()
