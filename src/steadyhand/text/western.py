"""Whether bytes that are no UTF-8 look like Western text with few accents, which a detector often takes for a sibling.

Only the bytes of Windows-1252 are known here. A doubtful text does not count as Western; the detector decides then.
"""

from __future__ import annotations

from itertools import islice

from steadyhand.lazy import lazy_pattern

__all__ = ["looks_western"]

_LONG_RUN = lazy_pattern(rb"[\x80-\xff]{3}")
_RUN = lazy_pattern(rb"[\x80-\xff]+")
_SAMPLE = 262_144
_FEW = 200  # with more of them the detector is to be trusted

# Without those letters that other alphabets have at the same bytes far more often: š ž ý þ ð and their capitals.
_LETTERS = frozenset("àâäáãåæçèéêëìíîïñòóôõöøœùúûüßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØŒÙÚÛÜ".encode("cp1252"))
_SIGNS = frozenset("‘’“”–—…€£§©®°«»¿¡²³½¼±µ·×™\xa0".encode("cp1252"))
_APOSTROPHE = 0x92
_INSIDE_WORDS = frozenset((_APOSTROPHE, 0xB7))
_HUMP = lazy_pattern("[a-zà-ÿ][À-Þ]")  # a capital with an accent inside a word
_OPENING = {0xBF: b"?", 0xA1: b"!"}


def looks_western(data: bytes) -> bool:
    """No three bytes beyond ASCII in a row, and each letter and sign where a Western text would have it.

    >>> looks_western("naïve".encode("cp1252")), looks_western("łódź".encode("cp1250"))
    (True, False)
    """
    if _LONG_RUN.search(data):
        return False
    runs = list(islice(_RUN.finditer(data[:_SAMPLE]), _FEW + 1))
    return len(runs) <= _FEW and all(_is_at_home(data, run.start(), run.group()) for run in runs)


def _is_at_home(data: bytes, start: int, run: bytes) -> bool:
    before, after = data[start - 1 : start] if start else b"", data[start + len(run) : start + len(run) + 1]
    if _LETTERS.issuperset(run):
        is_word = len(run) == 1 or before.isalpha() or after.isalpha()
        return is_word and not _HUMP.search((before + run).decode("cp1252"))
    code = run[0]
    if len(run) > 1:
        return code == _APOSTROPHE and run[1] in _LETTERS and before.isalpha() and after.isalpha()
    if code in _OPENING and _OPENING[code] not in data:
        return False
    is_inside = before.isalpha() and after.isalpha()
    return code in _SIGNS and (not is_inside or code in _INSIDE_WORDS)
