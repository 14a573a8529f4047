"""The client that CI runs, served by the server that it talks to, with what to check it by."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import condition, require_safe

from triage import client

NAME = "tiebreak.py"


@cache
def client_source() -> bytes:
    """Return the file as it is served; it changes with the version of the server only."""
    return Path(client.__file__).read_bytes()


def client_sha256() -> str:
    """Return the SHA-256 of the file, in hex."""
    return hashlib.sha256(client_source()).hexdigest()


def _etag(request: HttpRequest) -> str:
    return f'"{client_sha256()}"'


@require_safe
@condition(etag_func=_etag)
def download(request: HttpRequest) -> HttpResponse:
    """Serve the file, with its version and digest in headers."""
    response = HttpResponse(client_source(), content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{NAME}"'
    response["X-Tiebreak-Version"] = client.__version__
    response["X-Tiebreak-SHA256"] = client_sha256()
    # RFC 9530, for clients that check by themselves.
    digest = base64.b64encode(bytes.fromhex(client_sha256())).decode()
    response["Repr-Digest"] = f"sha-256=:{digest}:"
    return response


@require_safe
def checksum(request: HttpRequest) -> HttpResponse:
    """Serve the line that ``sha256sum --check`` reads."""
    return HttpResponse(f"{client_sha256()}  {NAME}\n", content_type="text/plain")


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the lines to paste into CI, with the digest of this server's file in them."""
    context = {
        "address": settings.TIEBREAK_URL,
        "version": client.__version__,
        "sha256": client_sha256(),
    }
    return render(request, "web/client.html", context)
