"""Makes workers that include it publish without pauses, and die once at each point of it.

A repository named ``acme/dies-POINT`` dies at that point of publishing, whichever of the workers
is at it; what died is remembered in the folder that ``DEATHS`` names.
"""

import importlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery.signals import worker_process_init

from tests.servers.deaths import PREFIX, PUBLISHING_POINTS, Death, put


def named(deliver: Callable[..., None]) -> Callable[..., None]:
    """Return the delivery of a publication, which first looks whose it is."""

    def delivering(publication: Any, publisher: Any) -> None:
        Death.point = publication.repository.full_name.removeprefix(PREFIX)
        deliver(publication, publisher)

    return delivering


@worker_process_init.connect
def hurry(**_: object) -> None:
    """Put death at every point, and let one write follow the other at once."""
    put(PUBLISHING_POINTS)
    delivering = importlib.import_module("triage.publish.delivering")
    delivering._deliver = named(delivering._deliver)
    pauses = importlib.import_module("triage.publish.pacing").GITHUB_PAUSES
    pauses.update(dict.fromkeys(pauses, timedelta(0)))
