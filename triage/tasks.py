"""Celery's entry points: plain ids in, one call each."""

import uuid

from celery import shared_task

from triage import pipeline


@shared_task(name="triage.process_upload", acks_late=True)
def process_upload(upload_id: str) -> None:
    """Take one upload to its verdict."""
    pipeline.process(uuid.UUID(upload_id))


@shared_task(name="triage.sweep", acks_late=True)
def sweep() -> None:
    """Pick up what a dead worker or a lost message left."""
    pipeline.sweep()
