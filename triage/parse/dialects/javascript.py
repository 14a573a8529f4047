"""Jest, Vitest, Mocha, Cypress, Bun, Playwright, Web Test Runner, Cucumber and Newman."""

import re

from triage.parse.dialects.dialect import Dialect, Traits, retries

PLAYWRIGHT_FILE = re.compile(r"\.(?:spec|test|e2e|setup)\.[cm]?[jt]sx?$")

# The names of suites are settings of these reporters; the order of attributes is not.
VITEST = ("name", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time")
JEST_JUNIT = ("name", "errors", "failures", "skipped", "timestamp", "time", "tests")
MOCHA_JUNIT = ("name", "timestamp", "tests", "time", "failures")


def is_web_test_runner(traits: Traits) -> bool:
    """Whether Web Test Runner wrote it."""
    return "browser.launcher" in traits.properties


def is_vitest(traits: Traits) -> bool:
    """Whether Vitest wrote it."""
    is_like_it = tuple(traits.suite) == VITEST and "id" not in traits.root
    return traits.root_name == "vitest tests" or is_like_it


def is_jest(traits: Traits) -> bool:
    """Whether jest-junit wrote it."""
    return traits.root_name.startswith("jest") or tuple(traits.suite) == JEST_JUNIT


def is_bun(traits: Traits) -> bool:
    """Whether Bun wrote it."""
    return traits.root_name == "bun test"


def is_mocha(traits: Traits) -> bool:
    """Whether Mocha's xunit reporter or mocha-junit-reporter wrote it, Cypress included."""
    is_named = traits.root_name.startswith("Mocha") or traits.suite_name == "Mocha Tests"
    return is_named or tuple(name for name in traits.suite if name != "file") == MOCHA_JUNIT


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
