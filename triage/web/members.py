"""The views of a repository's people: let in, another role, removed, an invitation withdrawn."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from triage.access import members as access
from triage.access.audit import note
from triage.errors import InvalidRequestError
from triage.models import Repository
from triage.terms import Role
from triage.web.absent import absent_as_404
from triage.web.changing import who_asks
from triage.web.forms.member import InvitationForm, RoleForm
from triage.web.guarding import guarded

BAD_REQUEST = 400


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, read=Role.ADMIN)
def members(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show who has a role; POST lets somebody in."""
    if request.method != "POST":
        return _page(request, repository, InvitationForm())
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, repository, form, status=BAD_REQUEST)
    name, role = form.cleaned_data["name"], form.chosen
    try:
        link = access.add_member(repository, name, role, who_asks(request))
    except InvalidRequestError as error:
        form.add_error("name", error.message)
        return _page(request, repository, form, status=BAD_REQUEST)
    note(request, "member_invited" if link else "member_added", repository, name, role=role)
    if not link:
        return _back(repository)
    # The one answer that shows the link; a redirect would have to carry it along.
    response = _page(request, repository, InvitationForm(), link=link)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@guarded(Repository)
def change_role(request: HttpRequest, repository: Repository, pk: int) -> HttpResponse:
    """Give a person another role."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        told = f"The role must be one of {', '.join(Role)}."
        return _page(request, repository, InvitationForm(), problem=told, status=BAD_REQUEST)
    try:
        with absent_as_404():
            member = access.change_role(repository, pk, form.chosen)
    except InvalidRequestError as error:
        return _refused(request, repository, error)
    note(request, "member_role_changed", repository, str(member.user), role=form.chosen)
    return _back(repository)


@require_POST
@guarded(Repository)
def remove(request: HttpRequest, repository: Repository, pk: int) -> HttpResponse:
    """Take a person's role away."""
    try:
        with absent_as_404():
            member = access.remove_member(repository, pk)
    except InvalidRequestError as error:
        return _refused(request, repository, error)
    note(request, "member_removed", repository, str(member.user), role=member.role)
    return _back(repository)


@require_POST
@guarded(Repository)
def withdraw(request: HttpRequest, repository: Repository, pk: int) -> HttpResponse:
    """Let an invitation hold no longer."""
    with absent_as_404():
        invitation = access.withdraw(repository, pk)
    note(request, "invitation_withdrawn", repository, invitation.name)
    return _back(repository)


def _refused(
    request: HttpRequest, repository: Repository, error: InvalidRequestError
) -> HttpResponse:
    return _page(request, repository, InvitationForm(), problem=str(error), status=BAD_REQUEST)


def _page(
    request: HttpRequest,
    repository: Repository,
    form: InvitationForm,
    link: str = "",
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = {
        "repository": repository,
        "members": access.members_of(repository),
        "by_forge": access.members_by_forge(repository),
        "invitations": access.open_invitations(repository),
        "roles": list(Role),
        "form": form,
        "link": link,
        "problem": problem,
    }
    return render(request, "web/members.html", shown, status=status)


def _back(repository: Repository) -> HttpResponse:
    return redirect("members", full_name=repository.full_name)
