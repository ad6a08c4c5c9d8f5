"""``java.util.Random`` and the SplitMix64 finalizer, bit for bit: a Python oracle can follow a Java generator."""

from __future__ import annotations

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK_48 = (1 << 48) - 1
_MASK_64 = (1 << 64) - 1
_GOLDEN_GAMMA = 0x9E3779B97F4A7C15
_DOUBLE_UNIT = 1.0 / (1 << 53)


class JavaRandom:
    """The 48-bit linear congruential generator of ``java.util.Random``; not thread-safe."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK_48

    def next_int(self, bound: int) -> int:
        """Return the next value of ``nextInt(bound)``; ``bound`` is in 1..2^31-1."""
        if bound <= 0:
            raise ValueError(f"bound must be positive, not {bound}")
        state = self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK_48
        bits = state >> 17
        if bound & (bound - 1) == 0:
            return (bound * bits) >> 31
        value = bits % bound
        # Java detects the incomplete last interval by the overflow of a signed 32-bit sum.
        while bits - value + (bound - 1) >= 1 << 31:
            state = self._state = (state * _MULTIPLIER + _INCREMENT) & _MASK_48
            bits = state >> 17
            value = bits % bound
        return value

    def next_double(self) -> float:
        """Return the next value of ``nextDouble()``, in [0, 1)."""
        first = (self._state * _MULTIPLIER + _INCREMENT) & _MASK_48
        second = self._state = (first * _MULTIPLIER + _INCREMENT) & _MASK_48
        return (((first >> 22) << 27) + (second >> 21)) * _DOUBLE_UNIT


def mixed_seed(seed: int, number: int) -> int:
    """Return the SplitMix64 output number ``number`` of the stream ``seed``.

    Near seeds of ``java.util.Random`` give strongly alike draws; the finalizer takes that away.
    """
    return mix(seed + _GOLDEN_GAMMA * (number + 1))


def mix(value: int) -> int:
    """Return the finalizer of SplitMix64: a bijection of the 64-bit values, here without a sign."""
    z = value & _MASK_64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK_64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK_64
    return z ^ (z >> 31)
