"""Jest, Vitest, Mocha, Cypress, Bun, Playwright, Web Test Runner, Cucumber and Newman."""

import re

from triage.parse.dialects.dialect import Dialect, Traits, retries

PLAYWRIGHT_FILE = re.compile(r"\.(?:spec|test|e2e|setup)\.[cm]?[jt]sx?$")


def is_web_test_runner(traits: Traits) -> bool:
    """Whether Web Test Runner wrote it."""
    return "browser.launcher" in traits.properties


def is_vitest(traits: Traits) -> bool:
    """Whether Vitest wrote it."""
    return traits.root_name == "vitest tests"


def is_jest(traits: Traits) -> bool:
    """Whether jest-junit wrote it."""
    return traits.root_name.startswith("jest")


def is_bun(traits: Traits) -> bool:
    """Whether Bun wrote it."""
    return traits.root_name == "bun test"


def is_mocha(traits: Traits) -> bool:
    """Whether Mocha's xunit reporter or mocha-junit-reporter wrote it, Cypress included."""
    return traits.root_name.startswith("Mocha") or traits.suite_name == "Mocha Tests"


def is_cucumber(traits: Traits) -> bool:
    """Whether Cucumber wrote it."""
    return "cucumber" in {traits.suite_name.lower(), traits.root_name.lower()}


def is_playwright(traits: Traits) -> bool:
    """Whether Playwright wrote it."""
    return "id" in traits.root and bool(PLAYWRIGHT_FILE.search(traits.suite_name))


WEB_TEST_RUNNER = Dialect("web-test-runner", is_web_test_runner, retries)
JAVASCRIPT = (
    Dialect("vitest", is_vitest, hides_retries=True),
    Dialect("jest-junit", is_jest, hides_retries=True),
    Dialect("bun", is_bun, hides_retries=True),
    Dialect("mocha", is_mocha, hides_retries=True),
    Dialect("cucumber", is_cucumber, hides_retries=True),
)
# Without includeRetries; with it the retries stand in elements of their own.
PLAYWRIGHT = Dialect("playwright", is_playwright, hides_retries=True)
