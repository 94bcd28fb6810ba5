#!/usr/bin/env python3
"""Writes dialog/text/unicode_tables.h from Python's unicodedata, and the checksum that
tests/dialog/text/tokenizer_test.cc compares the tokenizer with. Needs Unicode 14 (Python 3.11), so that every
machine makes the same tables:  scripts/unicode_tables.py | clang-format > dialog/text/unicode_tables.h"""
import sys
import unicodedata
import zlib

HEAD = """// Made by scripts/unicode_tables.py from Unicode %s.
#pragma once

namespace heed {

struct CodePoints {
  char32_t first, last;
};

// Signs above U+007F: punctuation, symbols, control and format characters and private use
// (general categories P, S and C). What is not assigned counts as what is assigned before it.
constexpr CodePoints kSigns[] = {"""
CAPITALS = """};

// Capital letters: first, first + stride, ..., last; the small letter is `delta` further on.
struct CapitalLetters {
  char32_t first, last;
  int stride, delta;
};
constexpr CapitalLetters kCapitals[] = {"""
TAIL = """};

}  // namespace heed"""

ALL = [c for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000]


def ranges(points, stride, same=lambda a, b: True):
    """Runs of equally distant points that are at most `stride` apart."""
    runs = []
    for c in points:
        if runs and same(runs[-1][-1], c):
            step = c - runs[-1][-1]
            if step <= stride and (len(runs[-1]) == 1 or step == runs[-1][1] - runs[-1][0]):
                runs[-1].append(c)
                continue
        runs.append([c])
    return runs


def signs():
    found, sign = set(), False
    for c in ALL:
        category = unicodedata.category(chr(c))
        if category != "Cn":
            sign = category[0] in "PSC"
        if sign:
            found.add(c)
    return found


def lower(c):
    return ord(chr(c).lower()[0])


def kind(c, sign):
    """As the tokenizer has it between two letters: dropped, space, letter or sign."""
    if chr(c).isspace() or c == 0x200B:
        return b"s"
    invisible = [(0, 0x1F), (0x7F, 0x7F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C),
                 (0x180B, 0x180F), (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
                 (0x20E3, 0x20E3), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xE0000, 0xE0FFF)]
    if any(first <= c <= last for first, last in invisible):
        return b"d"
    if c < 0x80:
        return b"l" if chr(c).isalnum() or chr(c) == "_" else b"."
    return b"." if c in sign and c not in (0x200C, 0x200D) else b"l"


def main():
    assert unicodedata.unidata_version == "14.0.0", "this Python has another Unicode"
    sign = signs()
    print(HEAD % "14.0")
    # surrogates never come out of UTF-8, so a run may go over them
    for run in ranges([c for c in range(0x80, 0x110000) if c in sign or 0xD800 <= c < 0xE000], 1):
        print(f"{{0x{run[0]:X}, 0x{run[-1]:X}}},")
    print(CAPITALS)
    capitals = [c for c in ALL if lower(c) != c]
    for run in ranges(capitals, 2, lambda a, b: lower(a) - a == lower(b) - b):
        stride = run[1] - run[0] if len(run) > 1 else 1
        print(f"{{0x{run[0]:X}, 0x{run[-1]:X}, {stride}, {lower(run[0]) - run[0]}}},")
    print(TAIL)
    text = b"".join(kind(lower(c), sign) + chr(lower(c)).encode()
                    for c in [*range(1, 0x80), *ALL])
    print(f"crc32 of (kind, lower case) of all code points: 0x{zlib.crc32(text):08X}",
          file=sys.stderr)


main()
