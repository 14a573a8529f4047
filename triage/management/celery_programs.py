"""Run the programs of Celery with the product's application, until they are asked to end."""

from typing import NoReturn

from django.conf import settings
from django.core.management.base import CommandError

from triage.celery import app

NO_BROKER = (
    "BROKER_URL is not set, and without a broker 'tiebreak serve' does all work by itself: "
    "set BROKER_URL to redis://… or amqp://…, the same as for the web server"
)


def run_celery(*arguments: str) -> NoReturn:
    """Run ``celery -A triage ARGUMENTS`` in this process; refuse without a broker (status 2)."""
    if not settings.BROKER_URL:
        raise CommandError(NO_BROKER, returncode=2)
    raise SystemExit(app.start([*arguments, "--loglevel=INFO"]))
