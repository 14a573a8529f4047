"""Every page in a browser: for all readers, on all screens, light on everybody's line."""

from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as configured

from tests.servers.receiver import receiving
from tests.web.browsing.house import READER, addresses, furnish
from tests.web.browsing.inspection import inspect, looking, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

# Each width and each scheme once: a page's layout does not depend on its colours.
SCREENS = [(320, "light"), (1920, "dark")]


def test_no_page_is_hard_to_read_or_to_load(
    browser: "Browser", live_server: Any, settings: Any
) -> None:
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    with receiving() as receiver:
        world = furnish(receiver.url())
    session = (configured.SESSION_COOKIE_NAME, world.sessions[READER])
    paths, wrong = addresses(world), []

    for width, scheme in SCREENS:
        size = {"width": width, "height": 900}
        with looking(browser, str(live_server), session, viewport=size, color_scheme=scheme) as it:
            for name, path in paths.items():
                wrong += [f"{name}, {width} px, {scheme}: {each}" for each in inspect(it, path)]

    assert len(paths) > 25
    assert wrong == []


def test_a_page_that_is_hard_to_read_is_found(browser_page: "Page") -> None:
    browser_page.set_content(
        "<!doctype html><html lang=en><title>t</title><main><h1>t</h1>"
        "<p style='color: #ccc; background: #fff'>pale</p><input></main></html>"
    )

    found = "\n".join(violations(browser_page))

    assert "color-contrast" in found
    assert "label" in found


@pytest.mark.parametrize("path", ["/sign-in/", "/nothing/", "/docs/verdicts/"])
def test_a_page_for_everybody_is_as_good(browser: "Browser", live_server: Any, path: str) -> None:
    with looking(browser, str(live_server), None, viewport={"width": 320, "height": 600}) as it:
        faults = inspect(it, path, status=404 if path == "/nothing/" else 200)

    assert [each for each in faults if "404" not in each] == []
