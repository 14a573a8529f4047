"""The view of how a repository's verdicts are shown on its forge."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from triage.access.audit import note
from triage.errors import InvalidRequestError
from triage.models import Repository
from triage.publish.choosing import choose_publisher
from triage.terms import Role
from triage.web.changing import may_change, who_asks
from triage.web.forms.publisher import PublisherForm, filled_in
from triage.web.guarding import guarded
from triage.web.pages.publishing import publishing_page


@sensitive_post_parameters("token")
@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, read=Role.MEMBER)
def publishing(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show how verdicts are shown; POST chooses it."""
    page = publishing_page(repository)
    before = page.chosen
    form = PublisherForm(request.POST or None, initial=filled_in(before) if before else {})
    if request.method == "POST" and form.is_valid() and _choose(request, repository, form):
        return redirect("publishing", full_name=repository.full_name)
    shown = {"page": page, "form": form, "may_change": may_change(request, repository)}
    return render(request, "web/publishing.html", shown, status=400 if form.errors else 200)


def _choose(request: HttpRequest, repository: Repository, form: PublisherForm) -> bool:
    try:
        chosen = choose_publisher(repository, form.asked, who_asks(request))
    except InvalidRequestError as error:
        form.add_error(None, error.message)
        return False
    note(request, "publisher_chosen", repository, chosen.kind, place=chosen.api_url)
    return True
