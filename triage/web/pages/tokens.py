"""A repository's page of tokens: what CI may send reports with, and when it last did."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.db.models import F
from django.http import QueryDict
from django.utils import timezone

from triage.models import Repository, Token
from triage.web.presenters.pagination import page_of
from triage.web.presenters.tokens import TokenRow, token_row

TOKENS_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class TokensPage:
    """What the page shows."""

    repository: Repository
    tokens: Page[Token]
    rows: Sequence[TokenRow]


def tokens_page(repository: Repository, parameters: QueryDict) -> TokensPage:
    """Read the page: those that were not revoked first, the newest of them first."""
    found = Token.objects.filter(repository=repository)
    ordered = found.order_by(F("revoked_at").desc(nulls_first=True), "-pk")
    tokens = page_of(ordered, parameters, TOKENS_PER_PAGE)
    now = timezone.now()
    return TokensPage(repository, tokens, [token_row(each, now) for each in tokens])
