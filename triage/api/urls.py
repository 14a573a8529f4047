"""The API's address space."""

from django.urls import path

from triage.api.application import api, not_found
from triage.api.budgets import router as budgets
from triage.api.cases import router as cases
from triage.api.escalations import router as escalations
from triage.api.mutes import router as mutes
from triage.api.policies import router as policies
from triage.api.reference import reference
from triage.api.runs import router as runs
from triage.api.uploads import router as uploads

api.add_router("", uploads)
api.add_router("", runs)
api.add_router("", cases)
api.add_router("", escalations)
api.add_router("", mutes)
api.add_router("", policies)
api.add_router("", budgets)

urlpatterns = [
    path("docs", reference, name="api-docs"),
    path("", api.urls),
    path("<path:path>", not_found),
]
