"""The door to every page of a repository: it finds what is asked for, for whom it is open.

What somebody may not read is answered like what is not there. Whoever is signed out is asked to
sign in instead, and comes back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme

from triage.access.reading import visible_repositories
from triage.access.renewing import ask_where_due, has_lapsed_roles
from triage.access.roles import require
from triage.models import Repository
from triage.models.repositories import FULL_NAME
from triage.terms import Role

View = Callable[..., HttpResponseBase]
READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Guard:
    """What a page is of, and the roles that reading and changing it take."""

    # Repository, or a table whose rows belong to one.
    model: type[Model]
    # What is read along with it.
    related: tuple[str, ...]
    read: Role
    change: Role


def guarded(
    model: type[Model], *related: str, read: Role = Role.VIEWER, change: Role = Role.ADMIN
) -> Callable[[View], View]:
    """Return a decorator that hands a view the row that its address names.

    A repository is named by ``full_name``, any other row by ``pk``; whatever else the address
    holds is handed on. Reading is any method that changes nothing. Of a public repository
    everybody may read what takes the role of a viewer.
    """
    guard = Guard(model, related, read, change)

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, **place: Any) -> HttpResponseBase:
            ask_where_due(request)
            response = _answer(guard, view, request, place)
            if "Cache-Control" not in response:
                patch_cache_control(response, private=True)
            return response

        return checked

    return decorate


def ask_to_sign_in(request: HttpRequest, problem: str = "") -> HttpResponse:
    """Lead to the page of signing in, and from there back to where the person was.

    ``problem`` is the word of a reason that the page explains.
    """
    page = reverse(settings.LOGIN_URL)
    return redirect_to_login(_way_back(request), f"{page}?problem={problem}" if problem else page)


def way_on(request: HttpRequest) -> str:
    """Return the page that a person who signs in came from, if it is one of ours."""
    told = request.POST.get("next") or request.GET.get("next") or "/"
    is_ours = url_has_allowed_host_and_scheme(told, {request.get_host()}, request.is_secure())
    return told if is_ours else "/"


def _answer(
    guard: Guard, view: View, request: HttpRequest, place: dict[str, Any]
) -> HttpResponseBase:
    is_reading = request.method in READING
    role = guard.read if is_reading else guard.change
    is_open = is_reading and role is Role.VIEWER
    if not request.user.is_authenticated and not is_open:
        return ask_to_sign_in(request)
    key = place.pop("full_name" if guard.model is Repository else "pk")
    found: Any = _find(guard, request, key)
    if found is None and not request.user.is_authenticated:
        return ask_to_sign_in(request)
    if found is None and has_lapsed_roles(request):
        return ask_to_sign_in(request, problem="lapsed")
    if found is None:
        raise Http404(_nothing(guard.model, key))
    if not is_open:
        require(request, found if guard.model is Repository else found.repository, role)
    return view(request, found, **place)


def _find(guard: Guard, request: HttpRequest, key: object) -> Model | None:
    visible = visible_repositories(request.user)
    if guard.model is Repository:
        # What is no name is not looked up: PostgreSQL refuses some of it, such as a zero byte.
        is_name = FULL_NAME.fullmatch(str(key)) is not None
        named = visible.filter(full_name=key).select_related(*guard.related)
        return named.first() if is_name else None
    rows = guard.model._default_manager.filter(pk=key, repository__in=visible)
    return rows.select_related("repository", *guard.related).first()


def _nothing(model: type[Model], key: object) -> str:
    if model is Repository:
        return (
            f"There is no repository “{key}” here, or it is not open to you. Names are "
            "case-sensitive; an admin of a repository lets people in."
        )
    return (
        f"There is no {model._meta.verbose_name} {key}, or it is not open to you. It may have "
        "been removed with its repository."
    )


def _way_back(request: HttpRequest) -> str:
    """Return the page that was asked for, or the one whose form was sent."""
    if request.method in READING:
        return request.get_full_path()
    form = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(form, {request.get_host()}, request.is_secure()):
        return "/"
    parts = urlsplit(form)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
