"""The views of a repository's notifications: its channels, and what was sent."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from triage.access.audit import note
from triage.errors import InvalidRequestError
from triage.models import Channel, Delivery, Repository
from triage.notifications.channels import add_channel, remove_channel, send_again, send_test
from triage.terms import Role
from triage.web.changing import may_change, who_asks
from triage.web.forms.channel import ChannelForm
from triage.web.guarding import guarded
from triage.web.pages.notifications import notifications_page


@require_http_methods(["GET", "HEAD", "POST"])
@guarded(Repository, read=Role.MEMBER)
def notifications(request: HttpRequest, repository: Repository) -> HttpResponse:
    """Show the channels and the messages of a repository; POST adds a channel."""
    if request.method != "POST":
        return _page(request, repository, ChannelForm())
    return _add(request, repository, ChannelForm(request.POST))


@require_POST
@guarded(Repository)
def test(request: HttpRequest, repository: Repository, pk: int) -> HttpResponse:
    """Send a test message to a channel."""
    channel = _channel(repository, pk)
    send_test(channel, who_asks(request))
    note(request, "channel_tested", repository, channel.name)
    return _back(repository, "sent")


@require_POST
@guarded(Repository)
def remove(request: HttpRequest, repository: Repository, pk: int) -> HttpResponse:
    """Remove a channel."""
    channel = _channel(repository, pk)
    remove_channel(channel)
    note(request, "channel_removed", repository, channel.name)
    return _back(repository, "channels")


@require_POST
@guarded(Repository)
def again(request: HttpRequest, repository: Repository, pk: uuid.UUID) -> HttpResponse:
    """Send a message once more."""
    delivery = Delivery.objects.filter(repository=repository, pk=pk).first()
    if delivery is None:
        raise Http404("There is no such message in this repository.")
    send_again(delivery)
    return _back(repository, "sent")


def _add(request: HttpRequest, repository: Repository, form: ChannelForm) -> HttpResponse:
    if not form.is_valid():
        return _page(request, repository, form, status=400)
    try:
        added = add_channel(repository, form.asked, who_asks(request))
    except InvalidRequestError as error:
        form.add_error(None, error.message)
        return _page(request, repository, form, status=400)
    note(request, "channel_added", repository, form.asked.name)
    if not added.signing_secret:
        return _back(repository, "channels")
    # The one answer that shows the secret; a redirect would have to carry it along.
    return _page(request, repository, ChannelForm(), added.signing_secret)


def _page(
    request: HttpRequest,
    repository: Repository,
    form: ChannelForm,
    signing_secret: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = {
        "page": notifications_page(repository, request.GET),
        "form": form,
        "signing_secret": signing_secret,
        "may_change": may_change(request, repository),
    }
    response = render(request, "web/notifications.html", shown, status=status)
    if signing_secret:
        response["Cache-Control"] = "no-store"
    return response


def _channel(repository: Repository, pk: int) -> Channel:
    channel = Channel.objects.filter(repository=repository, pk=pk, removed_at__isnull=True).first()
    if channel is None:
        raise Http404("There is no such channel in this repository.")
    return channel


def _back(repository: Repository, section: str) -> HttpResponse:
    return redirect(f"{reverse('notifications', args=[repository.full_name])}#{section}")
