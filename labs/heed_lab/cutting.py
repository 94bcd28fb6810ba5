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
NO_CODE = re.compile(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'|//.*')  # comments, strings and characters, whose brackets do not count


class Source:
    """The text of a file, and where things begin and end in it; `code` has spaces for what is no code."""

    def __init__(self, text, label):
        self.text, self.label, self.code = text, label, NO_CODE.sub(lambda found: " " * len(found[0]), text)

    def error(self, what, at):
        return LabError(f"{self.label}: {what} line {self.text.count(chr(10), 0, at) + 1}, {self.text[at:].splitlines()[0].strip()!r}")

    def begin(self, text, first, last):
        """Of the one line that begins so."""
        found = [line.start() for line in re.compile(rf"^ *{re.escape(text)}", re.M).finditer(self.text, first, last)]
        if len(found) != 1:
            raise LabError(f"{self.label}: {len(found)} lines begin with {text!r}, expected one")
        return found[0]

    def body(self, at):
        """The lines between the brace that opens what begins in the line at `at` and the one that closes it, in the column of this line."""
        opens = re.compile(r"[{;] *$", re.M).search(self.code, at)
        if not opens or opens[0][0] == ";":
            raise self.error("no body follows", at)
        closes = re.compile(rf"^{indent(self.text[at:])}}};? *$", re.M).search(self.code, opens.end())
        if not closes:
            raise self.error("nothing closes", at)
        return opens.end() + 1, closes.start() - 1

    def end_of_statement(self, at):
        level = 0
        for line in re.compile(".*").finditer(self.code, at):
            level += sum((c in "({[") - (c in ")}]") for c in line[0])
            if level == 0 and line[0].rstrip().endswith((";", "}")):
                return line.end()
        raise self.error("no end of the statement of", at)

    def span(self, cut):
        """(begin, end) of what a cut takes away; an end before the begin is that of no lines."""
        if "piece" in cut:
            found = places(self.text, cut["piece"])
            if len(found) != 1:
                raise LabError(f"{self.label}: {len(found)} pieces have the mark {cut['piece']!r}, expected one; of a line that changed, "
                               "heed_lab.cutting.mark(TEXT) is the new one")
            return found[0]
        first, last = 0, len(self.text)
        if "in" in cut:
            first, last = self.body(self.begin(cut["in"], first, last))
        at = self.begin(cut["at"], first, last)
        if cut["kind"] == "function":
            return self.body(at)
        if cut["kind"] == "line":
            line = re.compile("[^{\n]*{(.*)}").match(self.text, at)
            if not line:
                raise self.error("no body in braces is in", at)
            return line.span(1)
        return at, self.end_of_statement(self.begin(cut["to"], at, last) if "to" in cut else at)


def indent(text):
    return " " * (len(text) - len(text.lstrip(" ")))


def mark(text):
    """{number of characters} {SHA-256}"""
    return f"{len(text)} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


@functools.cache
def places(text, wanted):
    """[(begin, end)] of the pieces of the text that have a mark."""
    size = int(wanted.partition(" ")[0])
    return [(i, i + size) for i in range(len(text) - size + 1) if mark(text[i:i + size]) == wanted]


def removed(text, cut, label):
    """The code that a cut takes away."""
    begin, end = Source(text, label).span(cut)
    return text[begin:end]


def apply(text, cut, place, label):
    """The text with one cut made; `place` is what the blank says, `label` begins errors."""
    begin, end = Source(text, label).span(cut)
    call = f'::heed::lab::{"mark_not_done" if cut.get("silent") else "not_done"}("{place}");'
    if "piece" in cut:
        call = cut.get("with", "")
    elif cut["kind"] == "line":
        call = f" {call} "
    else:
        call = indent(text[begin:]) + call
    return text[:begin] + call + text[end:]


def put(text, cut, source, label):
    """The text with the function or struct around a cut as it is in `source`: blank again, or as in the library."""
    if cut["kind"] == "hide":
        return text
    whole = {"kind": "function", "at": cut.get("in") or cut["at"]}
    begin, end = Source(text, label).span(whole)
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
