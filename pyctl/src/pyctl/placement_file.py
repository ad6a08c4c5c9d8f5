"""A placement that a user wrote down: JSON, as a list or as an object of the key groups that shall move."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyctl.errors import Fault

CODE = "PLAN_INVALID"
_NAMED = 8


def read_placement(text: str, present: Sequence[int]) -> tuple[list[int], list[Fault]]:
    """The placement in `text` and all that is wrong with its form.

    A list has the subtask of each key group in order. An object maps key groups to subtasks, `{"17": 2}`; the others
    stay where `present` has them. Whether the subtasks exist and the length fits is for the JobManager to say, so a
    list comes back as long as it is; an entry that is no number is replaced by the present subtask.
    """
    try:
        given = json.loads(text, object_pairs_hook=_pairs)
    except (json.JSONDecodeError, _RepeatedError) as error:
        return list(present), [Fault(CODE, f"The placement is not valid JSON: {error}.")]
    if isinstance(given, list):
        return _from_list(given, present)
    if isinstance(given, dict):
        return _from_object(given, present)
    return list(present), [
        Fault(CODE, "The placement must be a list of subtasks or an object of key groups and subtasks.")
    ]


def _from_list(given: list[object], present: Sequence[int]) -> tuple[list[int], list[Fault]]:
    result: list[int] = []
    wrong: list[str] = []
    for group, subtask in enumerate(given):
        if _is_number(subtask):
            result.append(int(str(subtask)))
        else:
            wrong.append(str(group))
            result.append(present[group] if group < len(present) else 0)
    return result, _not_numbers(wrong)


def _from_object(given: dict[str, object], present: Sequence[int]) -> tuple[list[int], list[Fault]]:
    result = list(present)
    wrong: list[str] = []
    unknown: list[str] = []
    for group, subtask in given.items():
        if not group.isdecimal() or int(group) >= len(present):
            unknown.append(group)
        elif _is_number(subtask):
            result[int(group)] = int(str(subtask))
        else:
            wrong.append(group)
    faults = _not_numbers(wrong)
    if unknown:
        faults.append(
            Fault(
                CODE,
                f"The placement names key group{'s' if len(unknown) > 1 else ''} {_list(unknown)}; "
                f"the operator has key groups 0 to {len(present) - 1}.",
            )
        )
    return result, faults


def _not_numbers(groups: list[str]) -> list[Fault]:
    if not groups:
        return []
    many = len(groups) > 1
    return [
        Fault(
            CODE,
            f"The placement gives key group{'s' if many else ''} {_list(groups)} something that is no whole number; "
            "give the index of a subtask.",
        )
    ]


def _list(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class _RepeatedError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuses a key that comes twice: which one counts would be a guess."""
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedError(f"key group {next(key for key in keys if keys.count(key) > 1)} stands in it twice")
    return result
