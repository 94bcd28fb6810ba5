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


def column(line):
    return len(line) - len(line.lstrip(" "))


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

    def opening(self, at):
        """The line whose code ends in the brace that opens what begins in line `at`."""
        found = self.first(at, lambda code: code.endswith(("{", ";")), "no body follows", 12)
        return self.first(found, lambda code: code.endswith("{"), "no body follows", 1)

    def closing(self, at):
        """The first line from `at` on that is a closing brace in the column of line `at`."""
        brace = " " * column(self.lines[at]) + "}"
        return self.first(at, lambda code: code in (brace, brace + ";"), "nothing closes")

    def end_of_statement(self, at):
        level = 0

        def ends(code):
            nonlocal level
            level += sum((c in "({[") - (c in ")}]") for c in code)
            return level == 0 and code.endswith((";", "}"))
        return self.first(at, ends, "no end of the statement of")

    def region(self, cut):
        """First and last line of what a cut replaces."""
        first, end = 0, None
        if "in" in cut:
            around = self.begin(cut["in"])
            first, end = around + 1, self.closing(around)
        at = self.begin(cut["at"], first, end)
        if cut["kind"] == "function":
            return self.opening(at) + 1, self.closing(at) - 1
        if cut["kind"] == "line":
            return at, at
        return at, self.end_of_statement(self.begin(cut["to"], at, end) if "to" in cut else at)

    def replaced(self, first, last, new):
        """The text with other lines in the place of these."""
        return "\n".join(self.lines[:first] + new + self.lines[last + 1:])


def mark(text):
    """{number of characters} {SHA-256}"""
    return f"{len(text)} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


@functools.cache
def pieces(text, wanted):
    """Those of the text that have a mark."""
    size = int(wanted.partition(" ")[0])
    return [text[i:i + size] for i in range(len(text) - size + 1) if mark(text[i:i + size]) == wanted]


def piece(text, cut, label):
    """The one piece of the text that has the mark of a cut."""
    found = pieces(text, cut["piece"])
    if len(found) != 1:
        raise LabError(f"{label}: {len(found)} pieces have the mark {cut['piece']!r}, expected one; of a line that changed, heed_lab.cutting.mark(TEXT) is the new one")
    return found[0]


def apply(text, cut, place, label):
    """The text with one cut made; `place` is what the blank says, `label` begins errors."""
    if cut["kind"] in ("hide", "break"):
        return text.replace(piece(text, cut, label), cut.get("with", ""))
    lines = Lines(text, label)
    first, last = lines.region(cut)
    line = lines.lines[first]
    call = f'::heed::lab::{"mark_not_done" if cut.get("silent") else "not_done"}("{place}");'
    if cut["kind"] != "line":
        return lines.replaced(first, last, [" " * column(line) + call])
    opens, closes = line.find("{"), line.rfind("}")
    if not 0 <= opens < closes:
        raise LabError(f"{label}: line {first + 1} has no body in braces")
    return lines.replaced(first, last, [f"{line[:opens]}{{ {call} {line[closes:]}"])


def removed(text, cut, label):
    """The code that a cut takes away."""
    if cut["kind"] in ("hide", "break"):
        return piece(text, cut, label)
    lines = Lines(text, label)
    first, last = lines.region(cut)
    return "\n".join(lines.lines[first:last + 1])


def put(text, cut, source, label):
    """The text with the function or struct around a cut as it is in `source`: blank again, or as in the library."""
    if cut["kind"] == "hide":
        return text
    whole = {"kind": "function", "at": cut.get("in") or cut["at"]}
    lines = Lines(text, label)
    return lines.replaced(*lines.region(whole), removed(source, whole, label).split("\n"))


def include_not_done(text):
    """Adds the #include of the blanks below the last one of the file that stands under no #if."""
    if INCLUDE in text:
        return text
    lines, last, level = text.split("\n"), 0, 0
    for i, line in enumerate(lines):
        level += line.startswith("#if") - line.startswith("#endif")
        last = i if line.startswith("#include") and level == 0 else last
    return "\n".join(lines[:last + 1] + [INCLUDE] + lines[last + 1:])
