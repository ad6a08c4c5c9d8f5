"""Read workloads from files or by the names of those that come along; all that is wrong is told at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from drrs_jobs.workloads.model import Workload
from drrs_jobs.workloads.rules import Fault, Place, faults

QUICK = "quick"
"""Key of what is different in a short run."""

WARM = "warm"
"""Key, within those, of what is different again on a cluster that has run the job before."""

TRACED = "traced"
"""Key of what is different where the user gives a trace."""


class WorkloadError(ValueError):
    """One or more faults, each a sentence with its place."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = tuple(sentences)


def shipped() -> list[str]:
    """Return the names of the workloads that come along."""
    folder = files("drrs_jobs.workloads") / "shipped"
    return sorted(one.name.removesuffix(".yaml") for one in folder.iterdir() if one.name.endswith(".yaml"))


def load_all(
    names: Iterable[str], *, quick: bool = False, warm: bool = False, trace: Path | None = None
) -> list[Workload]:
    """Read workloads, each the name of one that comes along or the path of a file.

    ``trace`` is for those whose file says what is different with one.

    Raises ``WorkloadError`` with all faults of all of them.
    """
    found: list[Workload] = []
    sentences: list[str] = []
    for name in names:
        try:
            found.append(load(name, quick=quick, warm=warm, trace=trace))
        except WorkloadError as error:
            sentences += error.sentences
    if trace is not None and not sentences and all(one.trace is None for one in found):
        sentences.append("a trace is given, and no workload that is one's stand-in, as twitch is")
    twice = {one.name for one in found if sum(one.name == other.name for other in found) > 1}
    sentences += [f"the workload {name} is given more than once" for name in sorted(twice)]
    if sentences:
        raise WorkloadError(sentences)
    return found


def load(name: str, *, quick: bool = False, warm: bool = False, trace: Path | None = None) -> Workload:
    """Read one; ``quick`` with what its file says of a short run, ``warm`` of one on a warm cluster, and of a trace."""
    if name in shipped():
        text = (files("drrs_jobs.workloads") / "shipped" / f"{name}.yaml").read_text("utf-8")
        return parse(text, name, quick=quick, warm=warm, trace=trace)
    path = Path(name)
    try:
        return parse(path.read_text(encoding="utf-8"), path.name, quick=quick, warm=warm, trace=trace)
    except OSError as error:
        known = ", ".join(shipped())
        raise WorkloadError(
            [f"{name} is no workload that comes along ({known}) and no file that can be read: {error.strerror}"]
        ) from error
    except UnicodeDecodeError as error:
        raise WorkloadError([f"{name} is not a text in UTF-8"]) from error


def parse(text: str, source: str, *, quick: bool = False, warm: bool = False, trace: Path | None = None) -> Workload:
    """Read the text of a file; ``source`` is what messages call it."""
    try:
        document = YAML().load(text)
    except MarkedYAMLError as error:
        line = f" line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise WorkloadError([f"{source}{line}: {' '.join(str(error.problem or error).split())}"]) from error
    except YAMLError as error:
        raise WorkloadError([f"{source}: {' '.join(str(error).split())}"]) from error
    if not isinstance(document, CommentedMap):
        raise WorkloadError([f"{source}: a workload is a mapping of fields to values"])
    no_forms: list[str] = []
    changed = _form(document, QUICK, f"{source}, {QUICK}", "in a short run", no_forms)
    of_warm = _form(changed, WARM, f"{source}, {QUICK}.{WARM}", "in a short run on a warm cluster", no_forms)
    traced = _form(document, TRACED, f"{source}, {TRACED}", "with a trace", no_forms)
    if traced is not None and trace is not None:
        document = _merged(document, {**traced, "trace": str(trace)})
    # A short run is checked whether it is wanted or not, so that a fault of it does not wait for its day.
    whole, found = _checked(document)
    sentences = [*no_forms, *(_sentence(source, document, fault) for fault in found)]
    form = document
    for name, changes, wanted in _forms(changed, of_warm, quick, warm):
        if not sentences:
            form = _merged(form, changes)
            whole_short, found_short = _checked(form)
            sentences += [_sentence(f"{source} ({name})", form, fault) for fault in found_short]
            whole = whole_short if wanted else whole
    if sentences:
        raise WorkloadError(sentences)
    assert whole is not None
    return whole


def _form(within: CommentedMap | None, key: str, place: str, when: str, faults: list[str]) -> CommentedMap | None:
    """Take out what is different in a form; where that is no mapping, a fault more and nothing different."""
    if within is None or key not in within:
        return None
    changes = within.pop(key)
    if isinstance(changes, CommentedMap):
        return changes
    faults.append(f"{place}: is a mapping of the fields that differ {when}, not {_plain(changes)!r}")
    return None


def _forms(
    changed: CommentedMap | None, of_warm: CommentedMap | None, quick: bool, warm: bool
) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Yield the short forms, each on top of those before: name, what is different, and whether it is wanted."""
    if changed is not None:
        yield QUICK, changed, quick
    if of_warm is not None:
        yield f"{QUICK}, {WARM}", of_warm, quick and warm


def _merged(base: CommentedMap, changes: Mapping[str, Any]) -> CommentedMap:
    merged = deepcopy(base)
    for key, value in changes.items():
        inner = merged.get(key)
        merged[key] = _merged(inner, value) if isinstance(inner, CommentedMap) and isinstance(value, Mapping) else value
    return merged


def _checked(document: CommentedMap) -> tuple[Workload | None, list[Fault]]:
    """Return the workload and all of its faults: those of single fields, and those between the fields that are good."""
    try:
        found = Workload.model_validate(_plain(document))
        return found, list(faults(found))
    except ValidationError as error:
        details = error.errors()
    wrong: list[Fault] = [(tuple(one["loc"]), _words(one)) for one in details]
    rest = _plain(document)
    # Fields that are wrong are taken for absent, so that what does not fit between the others is told as well.
    for place in sorted({place for place, _ in wrong}, key=len, reverse=True):
        _drop(rest, place)
    with suppress(ValidationError):  # Something without a default is wrong: what depends on it is not told.
        wrong += [fault for fault in faults(Workload.model_validate(rest)) if not _concerns(fault[0], wrong)]
    return None, wrong


def _concerns(place: Place, wrong: Sequence[Fault]) -> bool:
    return any(place[: len(other)] == other for other, _ in wrong)


def _plain(value: Any) -> Any:
    if isinstance(value, CommentedMap):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, CommentedSeq):
        return [_plain(one) for one in value]
    return value


def _drop(document: Any, place: Place) -> None:
    *way, last = place
    for key in way:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(document, dict):
        document.pop(last, None)


def _words(error: ErrorDetails) -> str:
    """Return what is wrong with a field, as the end of a sentence."""
    given, limits = error["input"], error.get("ctx", {})
    match error["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not a field that a workload has here"
        case "int_type" | "int_from_float":
            return f"must be a whole number, not {given!r}"
        case "float_type":
            return f"must be a number, not {given!r}"
        case "bool_type":
            return f"must be true or false, not {given!r}"
        case "string_type":
            return f"must be a text, not {given!r}"
        case "greater_than_equal":
            return f"must be at least {limits['ge']}, not {given}"
        case "less_than_equal":
            return f"must be at most {limits['le']}, not {given}"
        case "literal_error":
            return f"must be {limits['expected']}, not {given!r}"
        case "string_too_short":
            return "must not be empty"
        case "too_short":
            return f"must have at least {limits['min_length']}"
        case "string_pattern_mismatch":
            return f"must be of small letters, digits and hyphens, not {given!r}"
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"must be a mapping of fields to values, not {given!r}"
        case "tuple_type" | "list_type":
            return f"must be a list, not {given!r}"
    return f"is wrong: {error['msg']}"


def _sentence(source: str, document: CommentedMap, fault: Fault) -> str:
    place, words = fault
    line = _line(document, place)
    at = f" line {line}" if line else ""
    return f"{source}{at}, {_path(place)}: {words}"


def _path(place: Place) -> str:
    path = ""
    for key in place:
        path += f"[{key + 1}]" if isinstance(key, int) else (f".{key}" if path else key)
    return path


def _line(document: Any, place: Place) -> int | None:
    """Return the line, from 1 on, of the last part of a place that the file has."""
    found: int | None = None
    for key in place:
        try:
            if isinstance(document, CommentedMap):
                found = document.lc.key(key)[0] + 1
            elif isinstance(document, CommentedSeq):
                found = document.lc.item(key)[0] + 1
            document = document[key]
        except (KeyError, IndexError, TypeError):
            break
    return found
