"""Send a test check to a repository, to see the whole way to GitHub work."""

import uuid

from triage.publish.connections import connection_of
from triage.publish.forge import GoneForgeError, TemporaryForgeError, TokenForgeError
from triage.publish.github.access import installation_client
from triage.publish.github.trial import Trial, send_trial_check
from triage.publish.pacing import take_turn
from triage.terms import PublicationKind

PERMISSIONS = {"checks": "write", "contents": "read", "metadata": "read"}


def send_trial(repository_id: int) -> Trial:
    """Publish a neutral check on the default branch's head; raise ``ForgeError`` if refused."""
    connection = connection_of(repository_id)
    if connection is None:
        raise GoneForgeError("the App is not installed for this repository any more")
    if take_turn(connection.installation, PublicationKind.CHECK) is not None:
        raise TemporaryForgeError("something is being published there just now; try again")
    installation = connection.installation.github_id
    try:
        client = installation_client(
            connection.key, installation, connection.github_id, PERMISSIONS
        )
        return send_trial_check(client, connection.full_name, f"trial-{uuid.uuid4()}")
    except (GoneForgeError, TokenForgeError):
        connection.forget_token()
        raise
