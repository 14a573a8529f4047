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
from triage.web.changing import may_change, require_change, who_asks
from triage.web.forms.channel import ChannelForm
from triage.web.lookups import find_repository
from triage.web.pages.notifications import notifications_page


@require_http_methods(["GET", "HEAD", "POST"])
def notifications(request: HttpRequest, full_name: str) -> HttpResponse:
    """Show the channels and the messages of a repository; POST adds a channel."""
    repository = find_repository(full_name)
    if request.method != "POST":
        return _page(request, repository, ChannelForm())
    require_change(request, repository)
    return _add(request, repository, ChannelForm(request.POST))


@require_POST
def test(request: HttpRequest, full_name: str, pk: int) -> HttpResponse:
    """Send a test message to a channel."""
    channel = _channel(request, full_name, pk)
    send_test(channel, who_asks(request))
    note(request, "channel_tested", channel.repository, channel.name)
    return _back(full_name, "sent")


@require_POST
def remove(request: HttpRequest, full_name: str, pk: int) -> HttpResponse:
    """Remove a channel."""
    channel = _channel(request, full_name, pk)
    remove_channel(channel)
    note(request, "channel_removed", channel.repository, channel.name)
    return _back(full_name, "channels")


@require_POST
def again(request: HttpRequest, full_name: str, pk: uuid.UUID) -> HttpResponse:
    """Send a message once more."""
    repository = find_repository(full_name)
    require_change(request, repository)
    delivery = Delivery.objects.filter(repository=repository, pk=pk).first()
    if delivery is None:
        raise Http404("There is no such message in this repository.")
    send_again(delivery)
    return _back(full_name, "sent")


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
        return _back(repository.full_name, "channels")
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


def _channel(request: HttpRequest, full_name: str, pk: int) -> Channel:
    repository = find_repository(full_name)
    require_change(request, repository)
    channel = Channel.objects.filter(repository=repository, pk=pk, removed_at__isnull=True).first()
    if channel is None:
        raise Http404("There is no such channel in this repository.")
    return channel


def _back(full_name: str, section: str) -> HttpResponse:
    return redirect(f"{reverse('notifications', args=[full_name])}#{section}")
