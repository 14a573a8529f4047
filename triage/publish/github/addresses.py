"""Where a GitHub has its API and its pages: github.com, data residency, or an Enterprise Server."""

from urllib.parse import urlsplit

WEB = "https://github.com"
API = "https://api.github.com"
# Enterprise Cloud with data residency: https://SUBDOMAIN.ghe.com.
RESIDENCY = ".ghe.com"
SERVER_API = "/api/v3"


def api_url_of(web_url: str) -> str:
    """Return the address of the API that belongs to a GitHub's pages."""
    if web_url == WEB:
        return API
    parts = urlsplit(web_url)
    if (parts.hostname or "").endswith(RESIDENCY):
        return f"{parts.scheme}://api.{parts.netloc}"
    return f"{web_url}{SERVER_API}"


def web_url_of(api_url: str) -> str:
    """Return the address of the pages that belong to a GitHub's API."""
    if api_url == API:
        return WEB
    parts = urlsplit(api_url)
    if (parts.hostname or "").endswith(RESIDENCY):
        return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}"
    return api_url.removesuffix(SERVER_API)
