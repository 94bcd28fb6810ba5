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
KINDS = {"function": {"at"}, "statement": {"at"}, "line": {"at"}, "hide": {"piece"},
         "break": {"piece", "with", "in"}}
OPTIONAL = {"kind", "file", "in", "to", "silent", "twin"}


def code_of(line):
    """The line without comments, strings and characters, whose brackets do not count."""
    return re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|//.*', "", line).rstrip()


def depth(line):
    return sum((c in "({[") - (c in ")}]") for c in code_of(line))


def column(line):
    return len(line) - len(line.lstrip(" "))


class Lines:
    """The lines of a file, and where things begin and end in it."""

    def __init__(self, text, label):
        self.lines, self.label = text.split("\n"), label

    def begin(self, text, first, end):
        found = [i for i in range(first, end) if self.lines[i].lstrip(" ").startswith(text)]
        if len(found) != 1:
            raise LabError(f"{self.label}: {len(found)} lines begin with {text!r}, expected one")
        return found[0]

    def opening(self, at):
        """The line whose code ends in the brace that opens what begins in line `at`."""
        for i in range(at, min(at + 12, len(self.lines))):
            code = code_of(self.lines[i])
            if code.endswith("{"):
                return i
            if code.endswith(";"):
                break
        raise LabError(f"{self.label}: no body follows line {at + 1}, {self.lines[at].strip()!r}")

    def closing(self, at):
        """The first line from `at` on that is a closing brace in the column of line `at`."""
        brace = " " * column(self.lines[at]) + "}"
        for i in range(at, len(self.lines)):
            if code_of(self.lines[i]) in (brace, brace + ";"):
                return i
        raise LabError(f"{self.label}: nothing closes line {at + 1}, {self.lines[at].strip()!r}")

    def end_of_statement(self, at):
        level = 0
        for i in range(at, len(self.lines)):
            level += depth(self.lines[i])
            if level == 0 and code_of(self.lines[i]).endswith((";", "}")):
                return i
        raise LabError(f"{self.label}: the statement of line {at + 1} does not end")

    def region(self, cut):
        """First and last line of what a cut replaces."""
        first, end = 0, len(self.lines)
        if "in" in cut:
            around = self.begin(cut["in"], first, end)
            first, end = around + 1, self.closing(around)
        at = self.begin(cut["at"], first, end)
        if cut["kind"] == "function":
            return self.opening(at) + 1, self.closing(at) - 1
        if cut["kind"] == "line":
            return at, at
        return at, self.end_of_statement(self.begin(cut["to"], at, end) if "to" in cut else at)


def check_cut(cut, label):
    known = KINDS.get(cut.get("kind"))
    if known is None:
        raise LabError(f"{label}: the kind of a cut is one of {', '.join(KINDS)}, got {cut.get('kind')!r}")
    if not known | {"file"} <= set(cut) or not set(cut) <= known | OPTIONAL:
        raise LabError(f"{label}: a cut of kind {cut['kind']} has {', '.join(sorted(known | {'file'}))}, got {sorted(cut)}")


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
    call = f'::heed::lab::{"mark_not_done" if cut.get("silent") else "not_done"}("{place}");'
    if cut["kind"] == "line":
        line = lines.lines[first]
        opens, closes = line.find("{"), line.rfind("}")
        if not 0 <= opens < closes:
            raise LabError(f"{label}: line {first + 1} has no body in braces")
        new = [f"{line[:opens]}{{ {call} {line[closes:]}"]
    else:
        inner = column(lines.lines[first])
        new = [" " * inner + call]
    lines.lines[first:last + 1] = new
    return "\n".join(lines.lines)


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
    whole = {"kind": "function", "file": cut["file"], "at": cut["in"] if "in" in cut else cut["at"]}
    lines = Lines(text, label)
    first, last = lines.region(whole)
    lines.lines[first:last + 1] = removed(source, whole, label).split("\n")
    return "\n".join(lines.lines)


def include_not_done(text):
    """Adds the #include of the blanks below the last one of the file that stands under no #if."""
    if INCLUDE in text:
        return text
    lines, last, level = text.split("\n"), 0, 0
    for i, line in enumerate(lines):
        level += line.startswith("#if") - line.startswith("#endif")
        last = i if line.startswith("#include") and level == 0 else last
    return "\n".join(lines[:last + 1] + [INCLUDE] + lines[last + 1:])
