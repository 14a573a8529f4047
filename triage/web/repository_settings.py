"""The view of a repository's settings: where each is changed, and who may read the pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from triage.access.audit import note
from triage.access.reading import let_everybody_read
from triage.models import Repository
from triage.terms import Role
from triage.web.changing import may_change
from triage.web.forms.public_read import PublicReadForm
from triage.web.guarding import guarded
from triage.web.pages.repository_settings import settings_page


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, read=Role.MEMBER)
def repository_settings(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the settings of a repository; POST opens its pages to everybody, or closes them."""
    form = PublicReadForm(request.POST or None, initial={"is_public": repository.is_public})
    if request.method == "POST" and form.is_valid():
        is_public = form.cleaned_data["is_public"]
        if let_everybody_read(repository, is_public=is_public):
            note(request, "public_read_on" if is_public else "public_read_off", repository)
        return redirect("repository-settings", full_name=repository.full_name)
    shown = {
        "page": settings_page(repository),
        "form": form,
        "may_change": may_change(request, repository),
    }
    return render(request, "web/repository_settings.html", shown)
