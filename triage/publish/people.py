"""Which roles people have by the forge: only in repositories that the App reaches."""

from triage.access.forge_roles import role_on_forge
from triage.models import GitHubRepository
from triage.publish.app import App
from triage.publish.github.people import read_reached
from triage.terms import Role


def roles_by_token(app: App, token: str) -> dict[int, Role]:
    """Return a person's roles by repository, asked with a token of theirs.

    Raises ``ForgeError`` where GitHub does not tell.
    """
    reached = {
        each.github_id: role
        for each in read_reached(app.api_url, token)
        if (role := role_on_forge(each.permission)) is not None
    }
    known = GitHubRepository.objects.filter(
        github_id__in=reached,
        removed_at__isnull=True,
        installation__removed_at__isnull=True,
        installation__suspended_at__isnull=True,
    )
    pairs = known.values_list("repository_id", "github_id")
    return {repository: reached[number] for repository, number in pairs}
