"""What every test may ask for: a broker, a browser, a page of it."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.passes import DatabasePass
from tests.servers import chromium, product, redis
from tests.servers.embedded import Embedded, embedded
from tests.servers.missing import stop_without
from tests.servers.ports import LOOPBACK, dead_port, free_port
from tests.servers.processes import Child

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCREENSHOTS = Path(__file__).parent.parent / "screenshots"

# The suite draws the same examples every time, so that red means changed code; new examples are
# looked for on purpose, with --hypothesis-profile=fuzz.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=10_000, deadline=None, print_blob=True)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Let the pass on this database choose and count its tests."""
    config.pluginmanager.register(DatabasePass(config))


@pytest.fixture(name="dead_port")
def _dead_port() -> Iterator[int]:
    """A port of this machine on which every connection is refused."""
    with dead_port() as port:
        yield port


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a Redis that may be emptied; tests that use it are marked ``broker``."""
    given = os.environ.get("TEST_BROKER_URL")
    if given:
        yield given
        return
    server = redis.find_redis_server()
    if server is None:
        stop_without("Redis", redis.REMEDY)
    with redis.throwaway_redis(server) as url:
        yield url


@pytest.fixture(scope="session")
def product_env(django_db_setup: None, redis_url: str) -> dict[str, str]:
    """The environment of product processes that share the tests' database and a broker."""
    from django.db import connection

    return product.environment(connection.settings_dict, redis_url)


@dataclass(frozen=True)
class WebServer:
    """A web server in a process of its own; starting, until something asks for its address."""

    process: Child
    port: int


@pytest.fixture(scope="session")
def web_server(product_env: dict[str, str]) -> Iterator[WebServer]:
    """A web server that starts beside whatever else a test has to wait for."""
    port = free_port()
    with product.web_server(product_env, port) as process:
        yield WebServer(process, port)


@pytest.fixture(scope="session")
def server_url(web_server: WebServer) -> str:
    """The address of a web server in a process of its own, which hands work to the broker."""
    web_server.process.wait_until_ready()
    return f"http://{LOOPBACK}:{web_server.port}"


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[Embedded]:
    """A server in one process of its own, with a database of its own."""
    with embedded("acme/support-bot", "acme/other", "acme/evals", "acme/ml/support-bot") as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """A headless Chromium; tests that use it are marked ``browser``."""
    from playwright.sync_api import sync_playwright

    program = chromium.find_chromium()
    if program is None:
        stop_without("Chromium", chromium.REMEDY)
    # Playwright keeps an event loop in this thread, in which Django refuses its own database.
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        arguments = list(chromium.ARGUMENTS)
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def browser_page(browser: "Browser", live_server: object) -> Iterator["Page"]:
    """An empty tab; ``goto("/...")`` leads to the live server."""
    with browser.new_context(base_url=str(live_server)) as context:
        # Longer than the slowest machine takes: only a page that never answers waits for its end.
        context.set_default_timeout(60_000)
        yield context.new_page()


@pytest.fixture
def take_screenshot(browser_page: "Page") -> Callable[[str], Path]:
    """A function that keeps what the page shows as ``screenshots/NAME.png``."""

    def take(name: str) -> Path:
        SCREENSHOTS.mkdir(exist_ok=True)
        file = SCREENSHOTS / f"{name}.png"
        browser_page.screenshot(path=file, full_page=True)
        return file

    return take
