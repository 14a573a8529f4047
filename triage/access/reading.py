"""Who may read what of a repository is asked here, and nowhere else."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q, QuerySet

from triage.access.forge_roles import in_force
from triage.models import Membership, Repository

Person = AbstractBaseUser | AnonymousUser


def visible_repositories(person: Person) -> QuerySet[Repository]:
    """Return the repositories that a person may read: public ones, and those of their own roles.

    Whoever administers the installation may read all of them.
    """
    if person.is_active and getattr(person, "is_superuser", False):
        return Repository.objects.all()
    public = Q(is_public=True)
    if not person.is_active:
        return Repository.objects.filter(public)
    held = Membership.objects.filter(user_id=person.pk).values("repository")
    by_forge = in_force().filter(user_id=person.pk).values("repository")
    return Repository.objects.filter(public | Q(pk__in=held) | Q(pk__in=by_forge))


def let_everybody_read(repository: Repository, *, is_public: bool) -> bool:
    """Open a repository's pages to everybody, or close them; return whether that changed it."""
    others = Repository.objects.filter(pk=repository.pk).exclude(is_public=is_public)
    repository.is_public = is_public
    return bool(others.update(is_public=is_public))
