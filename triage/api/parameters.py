"""Parameters that several addresses of the API take."""

from typing import Annotated

from ninja import Query

LONGEST_WAIT_S = 120

Wait = Annotated[float, Query(0, ge=0, le=LONGEST_WAIT_S, description="Seconds to wait.")]
FailOn = Annotated[
    str,
    Query(
        "",
        pattern=r"^((blocked|on_hold|provisional|no_results|regression)(,|$))*$",
        description="Conclusions to answer with status 422, comma-separated; "
        "'regression' stands for 'blocked'.",
    ),
]
