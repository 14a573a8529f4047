"""Keep policy and owners as the default branch has them: asked for on push, and when old.

A pull request's head is never read: whoever opens one must not choose the policy that judges it.
"""

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta

from django.utils import timezone

from triage.handing_over import hand_over_after_commit
from triage.models import Repository, RepositoryFiles
from triage.policy.stored import Origin, take_policy
from triage.publish.connections import Connection, connection_of
from triage.publish.forge import ForgeError, GoneForgeError
from triage.publish.github.access import installation_client
from triage.publish.github.files import FileReading, is_there, read_file
from triage.terms import PolicySource

logger = logging.getLogger(__name__)

TASK = "triage.read_files"
POLICY = ".tiebreak.yml"
# The first one that there is counts, in this order.
OWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
WATCHED = frozenset({POLICY, *OWNERS})
# A push tells at once; this is for one that was never delivered.
STALE_AFTER = timedelta(minutes=10)
READING = {"contents": "read", "metadata": "read"}
# What is in force once the file is taken away.
NO_POLICY = b"# .tiebreak.yml was removed from the default branch: the defaults hold.\nversion: 1\n"

Read = Callable[[str], FileReading]


def note_push(repository: Repository) -> None:
    """Read the files again once the push that changed them is noted."""
    RepositoryFiles.objects.update_or_create(repository=repository, defaults={"checked_at": None})
    hand_over_after_commit(TASK, repository.pk, lambda: refresh(repository.pk))


def refresh_if_stale(repository_id: int) -> None:
    """Read the files again unless that was done a short while ago; never fails an upload."""
    fresh = RepositoryFiles.objects.filter(
        repository_id=repository_id, checked_at__gt=timezone.now() - STALE_AFTER
    )
    if not fresh.exists():
        refresh(repository_id)


def refresh(repository_id: int) -> None:
    """Read the files of the default branch; what cannot be read leaves all as it was."""
    connection = connection_of(repository_id)
    if connection is None:
        return
    repository = Repository.objects.get(pk=repository_id)
    kept, _ = RepositoryFiles.objects.get_or_create(repository=repository)
    try:
        known = kept.etags
        kept.etags = connection.renewing(lambda: _read(repository, connection, known))
        kept.error = ""
    except ForgeError as error:
        logger.warning("files of %s cannot be read: %s", repository, error)
        kept.error = str(error)
        if isinstance(error, GoneForgeError):
            connection.forget_token()
    kept.checked_at = timezone.now()
    kept.save(update_fields=["etags", "error", "checked_at"])


def _read(
    repository: Repository, connection: Connection, known: Mapping[str, str]
) -> dict[str, str]:
    """Take policy and owners over; return the ETags of what there is."""
    installation = connection.installation.github_id
    client = installation_client(connection.key, installation, connection.github_id, READING)

    def read(path: str) -> FileReading:
        return read_file(client, connection.full_name, path, known.get(path, ""))

    policy, (owners_path, owners) = read(POLICY), _first_owners(read)
    found = {POLICY: policy.etag, owners_path: owners.etag}
    etags = {path: etag for path, etag in found.items() if etag}
    if not known.keys() <= etags.keys() and not is_there(client, connection.full_name):
        raise GoneForgeError(f"GitHub shows no repository {connection.full_name}")
    _take_policy(repository, policy, was_there=POLICY in known)
    _take_owners(repository, owners, was_there=any(path in known for path in OWNERS))
    return etags


def _first_owners(read: Read) -> tuple[str, FileReading]:
    for path in OWNERS:
        reading = read(path)
        if not reading.is_missing:
            return path, reading
    return OWNERS[0], reading


def _take_policy(repository: Repository, policy: FileReading, *, was_there: bool) -> None:
    origin = Origin(PolicySource.FORGE, branch=repository.default_branch)
    if policy.body is not None:
        take_policy(repository, policy.body, origin)
    elif policy.is_missing and was_there:
        take_policy(repository, NO_POLICY, origin)


def _take_owners(repository: Repository, owners: FileReading, *, was_there: bool) -> None:
    """Keep the owners; those that a command told stay as long as the branch never had any."""
    if owners.body is not None:
        repository.codeowners = owners.body.decode(errors="replace").replace("\x00", "")
    elif owners.is_missing and was_there:
        repository.codeowners = ""
    repository.save(update_fields=["codeowners"])
