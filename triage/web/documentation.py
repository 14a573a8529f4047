"""The views of the documentation: its list, its pages, its pictures; open to everybody."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from triage.web.pages.documentation import documentation_page, picture


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the pages of the documentation."""
    return render(request, "web/documentation.html", {"page": documentation_page()})


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page of the documentation."""
    found = documentation_page(name)
    if found is None:
        raise Http404(f"The documentation has no page “{name}”; /docs/ lists those that it has.")
    return render(request, "web/documentation.html", {"page": found})


@require_safe
@cache_control(public=True, max_age=3600)
def image(request: HttpRequest, name: str) -> FileResponse:
    """Send a picture of the documentation."""
    file = picture(name)
    if file is None:
        raise Http404(f"The documentation has no picture “{name}”.")
    return FileResponse(file.open("rb"), content_type="image/png")
