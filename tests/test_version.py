"""Whoever shows a version shows the one of the product."""

import pytest
from django.test import Client

from triage.version import VERSION


@pytest.mark.django_db
def test_every_page_tells_it() -> None:
    assert f"Documentation</a> of Tiebreak {VERSION}</p>" in Client().get("/sign-in/").text


def test_the_description_of_the_api_tells_it() -> None:
    assert Client().get("/api/v1/openapi.json").json()["info"]["version"] == VERSION
