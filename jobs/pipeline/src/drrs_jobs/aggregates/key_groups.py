"""The key group of a key, as Flink has it: murmur hash of the key's hash code, modulo the highest parallelism."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame

_U = np.uint32


def with_key_group(rows: DataFrame, max_parallelism: int) -> DataFrame:
    """Add ``key_group`` to rows with a ``key`` that is a whole number as text, of Java type ``Long``.

    Rows with other keys are left out: their hash is that of their class, which the text does not tell.
    """

    def add(batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield batch.assign(key_group=key_groups(batch["key"].to_numpy(dtype=np.int64), max_parallelism))

    numbers = rows.where(rows["key"].rlike("^-?[0-9]{1,18}$"))
    fields = ", ".join(f"{name} {kind}" for name, kind in rows.dtypes)
    return numbers.mapInPandas(add, f"{fields}, key_group int")


def key_groups(keys: np.ndarray[Any, Any], max_parallelism: int) -> np.ndarray[Any, Any]:
    """Return the key groups of keys that are a Java ``Long`` each."""
    bits = keys.view(np.uint64)
    code = (bits ^ (bits >> np.uint64(32))).astype(_U)
    return (_murmur(code) % max_parallelism).astype(np.int32)


def flink_owner(key_group: int, parallelism: int, max_parallelism: int) -> int:
    """Return the subtask that owns a key group when a job starts: key groups in ranges, in order."""
    return key_group * parallelism // max_parallelism


def _murmur(code: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return ``MathUtils.murmurHash``: never negative."""
    code = _rotated(code * _U(0xCC9E2D51), 15) * _U(0x1B873593)
    code = _rotated(code, 13) * _U(5) + _U(0xE6546B64)
    code ^= _U(4)
    code ^= code >> _U(16)
    code *= _U(0x85EBCA6B)
    code ^= code >> _U(13)
    code *= _U(0xC2B2AE35)
    code ^= code >> _U(16)
    signed = code.view(np.int32).astype(np.int64)
    lowest = np.iinfo(np.int32).min
    return np.where(signed == lowest, 0, np.abs(signed))


def _rotated(code: np.ndarray[Any, Any], bits: int) -> np.ndarray[Any, Any]:
    return (code << _U(bits)) | (code >> _U(32 - bits))
