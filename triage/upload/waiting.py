"""Wait until the work of an upload has come to its end."""

import time
import uuid

from triage.models import Upload
from triage.terms import OPEN_UPLOADS

POLL_S = 0.1


def wait_for(upload_id: uuid.UUID, seconds: float) -> Upload:
    """Return the upload as soon as its work has ended, or when the time is up."""
    deadline = time.monotonic() + seconds
    while True:
        upload = Upload.objects.select_related("run__repository", "part").get(pk=upload_id)
        if upload.state not in OPEN_UPLOADS or time.monotonic() >= deadline:
            return upload
        time.sleep(POLL_S)
