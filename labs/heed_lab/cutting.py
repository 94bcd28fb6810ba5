"""Takes functions out of the library's own files and leaves a place to write them anew.

A cut is an object of lab.json:
  {"kind": "function",  "file": F, "at": SIGNATURE}         the body of the function whose line begins so
  {"kind": "statement", "file": F, "at": TEXT, "to": TEXT}  from the line that begins so to the end of the statement
                                                            (of the one that begins with "to", if given)
  {"kind": "line",      "file": F, "at": TEXT}              between the braces of the one line that begins so
  {"kind": "hide",      "file": F, "piece": MARK}           the very text that has this mark, which holds the answer
  {"kind": "break",     "file": F, "piece": MARK, "with": TEXT, "in": SIGNATURE}
                                                            the same, which another takes the place of: a mistake to find
A MARK is the length of a text and 16 digits of its SHA-256 ("47 5f0c..."), so that who reads lab.json reads no answers: mark() makes it.
"twin": true is for code that says the same in another place: it goes and comes back with the lab, and is nobody's task.
"in": TEXT looks only between the braces that follow the line that begins so; "silent": true is for destructors, which must
not throw. No match, or several, are errors: then the library has changed, and the lab has to follow."""
import functools
import hashlib
import re

from . import LabError

INCLUDE = '#include "labs/support/not_done.h"'
KINDS = {"function": {"at"}, "statement": {"at"}, "line": {"at"}, "hide": {"piece"}, "break": {"piece", "with", "in"}}
OPTIONAL = ("in", "to", "silent", "twin")


def code_of(line):
    """The line without comments, strings and characters, whose brackets do not count."""
    return re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|//.*', "", line).rstrip()


class Lines:
    """The lines of a file, and where things begin and end in it."""

    def __init__(self, text, label):
        self.lines, self.label = text.split("\n"), label

    def begin(self, text, first=0, end=None):
        found = [i for i, line in enumerate(self.lines[:end]) if i >= first and line.lstrip(" ").startswith(text)]
        if len(found) != 1:
            raise LabError(f"{self.label}: {len(found)} lines begin with {text!r}, expected one")
        return found[0]

    def first(self, at, fits, what, count=None):
        """The first line from `at` on that fits."""
        for i in range(at, len(self.lines))[:count]:
            if fits(code_of(self.lines[i])):
                return i
        raise LabError(f"{self.label}: {what} line {at + 1}, {self.lines[at].strip()!r}")

    def body(self, at):
        """First and last line between the brace that opens what begins in line `at` and the one that closes it, in the column of this line."""
        opens = self.first(at, lambda code: code.endswith(("{", ";")), "no body follows", 12)
        self.first(opens, lambda code: code.endswith("{"), "no body follows", 1)
        brace = indent(self.lines[at]) + "}"
        return opens + 1, self.first(at, lambda code: code in (brace, brace + ";"), "nothing closes") - 1

    def end_of_statement(self, at):
        level = 0

        def ends(code):
            nonlocal level
            level += sum((c in "({[") - (c in ")}]") for c in code)
            return level == 0 and code.endswith((";", "}"))
        return self.first(at, ends, "no end of the statement of")

    def region(self, cut):
        """First and last line of what a cut replaces."""
        first, last = self.body(self.begin(cut["in"])) if "in" in cut else (0, len(self.lines))
        at = self.begin(cut["at"], first, last + 1)
        if cut["kind"] == "function":
            return self.body(at)
        if cut["kind"] == "line":
            return at, at
        return at, self.end_of_statement(self.begin(cut["to"], at, last + 1) if "to" in cut else at)


def indent(line):
    return " " * (len(line) - len(line.lstrip(" ")))


def mark(text):
    """{number of characters} {SHA-256}"""
    return f"{len(text)} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


@functools.cache
def places(text, wanted):
    """[(begin, end)] of the pieces of the text that have a mark."""
    size = int(wanted.partition(" ")[0])
    return [(i, i + size) for i in range(len(text) - size + 1) if mark(text[i:i + size]) == wanted]


def span(text, cut, label):
    """(begin, end) of what a cut takes away; an end before the begin is that of no lines."""
    if "piece" in cut:
        found = places(text, cut["piece"])
        if len(found) != 1:
            raise LabError(f"{label}: {len(found)} pieces have the mark {cut['piece']!r}, expected one; of a line that changed, heed_lab.cutting.mark(TEXT) is the new one")
        return found[0]
    lines = Lines(text, label)
    first, last = lines.region(cut)
    return (sum(len(line) + 1 for line in lines.lines[:count]) - end for count, end in ((first, 0), (last + 1, 1)))


def removed(text, cut, label):
    """The code that a cut takes away."""
    begin, end = span(text, cut, label)
    return text[begin:end]


def apply(text, cut, place, label):
    """The text with one cut made; `place` is what the blank says, `label` begins errors."""
    begin, end = span(text, cut, label)
    call = f'::heed::lab::{"mark_not_done" if cut.get("silent") else "not_done"}("{place}");'
    if "piece" in cut:
        new = cut.get("with", "")
    elif cut["kind"] == "line":
        line = re.fullmatch(r"([^{]*{).*(}.*?)", text[begin:end])
        if not line:
            raise LabError(f"{label}: {text[begin:end].strip()!r} has no body in braces")
        new = f"{line[1]} {call} {line[2]}"
    else:
        new = indent(text[begin:]) + call
    return text[:begin] + new + text[end:]


def put(text, cut, source, label):
    """The text with the function or struct around a cut as it is in `source`: blank again, or as in the library."""
    if cut["kind"] == "hide":
        return text
    whole = {"kind": "function", "at": cut.get("in") or cut["at"]}
    begin, end = span(text, whole, label)
    return text[:begin] + removed(source, whole, label) + text[end:]


def include_not_done(text):
    """Adds the #include of the blanks below the last one of the file that stands under no #if."""
    if INCLUDE in text:
        return text
    lines, last, level = text.split("\n"), 0, 0
    for i, line in enumerate(lines):
        level += line.startswith("#if") - line.startswith("#endif")
        last = i if line.startswith("#include") and level == 0 else last
    return "\n".join(lines[:last + 1] + [INCLUDE] + lines[last + 1:])
