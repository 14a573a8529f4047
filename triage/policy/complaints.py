"""The sentence for each way in which a policy can be wrong, with the nearest legal word."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel

from triage.policy.document import Policy
from triage.policy.tie_breaks import Block, Escalate, SecondPass, Threshold

TIE_BREAKS: Mapping[str, type[BaseModel]] = {
    "threshold": Threshold,
    "second_pass": SecondPass,
    "escalate": Escalate,
    "block": Block,
}
# Keys that somebody might try, so that the answer is the sentence and not a spelling hint.
EXCUSES = ("flip", "label_regression", "label_flip", "near_tie", "settled_tie", "flake", "ignore")
NO_EXCUSE = "no key excuses a label flip: the flake belongs in the budget, the label flip does not"


def complaint(detail: Mapping[str, Any], value: str) -> str:
    """Return the sentence for one error of pydantic's; ``value`` is what stands there."""
    say = SENTENCES.get(str(detail["type"]), _other)
    return say(detail, value)


def _other(detail: Mapping[str, Any], value: str) -> str:
    message = str(detail["msg"]).removeprefix("Input ").replace("should", "must")
    return f"{message[0].lower()}{message[1:]}, got {value!r}"


def _unknown_key(detail: Mapping[str, Any], value: str) -> str:
    *parent, key = detail["loc"]
    if any(word in str(key).lower() for word in EXCUSES):
        return f"unknown key {key!r}; {NO_EXCUSE}"
    legal = _legal_keys(parent)
    return f"unknown key {key!r}{_hint(str(key), legal)}; legal here: {_listed(legal)}"


def _missing(detail: Mapping[str, Any], value: str) -> str:
    key = detail["loc"][-1]
    remedy = "; begin the file with 'version: 1'" if key == "version" else ""
    return f"{key!r} is missing{remedy}"


def _wrong_word(detail: Mapping[str, Any], value: str) -> str:
    return _not_one_of(_legal_words(detail["loc"]), value)


def _wrong_tie_break(detail: Mapping[str, Any], value: str) -> str:
    return f"policy {_not_one_of(TIE_BREAKS, str(detail['ctx']['tag']))}"


def _no_tie_break(detail: Mapping[str, Any], value: str) -> str:
    return f"must say which policy it is: {_listed(TIE_BREAKS)}"


def _own_words(detail: Mapping[str, Any], value: str) -> str:
    return str(detail["ctx"]["error"])


def _no_list(detail: Mapping[str, Any], value: str) -> str:
    return f"must be a list, got {value!r}"


def _no_mapping(detail: Mapping[str, Any], value: str) -> str:
    return f"must be a mapping of {_listed(_legal_keys(detail['loc']))}, got {value!r}"


SENTENCES: Mapping[str, Callable[[Mapping[str, Any], str], str]] = {
    "extra_forbidden": _unknown_key,
    "missing": _missing,
    "literal_error": _wrong_word,
    "union_tag_invalid": _wrong_tie_break,
    "union_tag_not_found": _no_tie_break,
    "value_error": _own_words,
    "tuple_type": _no_list,
    "model_type": _no_mapping,
    "model_attributes_type": _no_tie_break,
}


def _not_one_of(words: Iterable[str], value: str) -> str:
    words = list(words)
    return f"must be {_listed(words)}, got {value!r}{_hint(value, words)}"


def _hint(word: str, legal: Iterable[str]) -> str:
    nearest = get_close_matches(word, list(legal), n=1, cutoff=0.6)
    return f"; did you mean {nearest[0]!r}?" if nearest else ""


def _listed(words: Iterable[str]) -> str:
    *first, last = [str(word) for word in words]
    return f"{', '.join(first)} or {last}" if first else last


def _legal_keys(location: Sequence[str | int]) -> list[str]:
    model = _model_at(location)
    return [field.alias or name for name, field in model.model_fields.items()]


def _legal_words(location: Sequence[str | int]) -> list[str]:
    annotation = _model_at(location[:-1]).model_fields[str(location[-1])].annotation
    return [str(word) for word in get_args(annotation)]


def _model_at(location: Sequence[str | int]) -> type[BaseModel]:
    """Return the model of the mapping at a location, where tie-breaks go by their tag."""
    model: type[BaseModel] = Policy
    for step in location:
        if step in TIE_BREAKS:
            model = TIE_BREAKS[str(step)]
        elif isinstance(step, str):
            model = next(_models_in(model.model_fields[step].annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
