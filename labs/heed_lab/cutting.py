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
# Where code that clang-format has laid out ends is told by its columns: (indent) and (what is between braces).
BODY = re.compile(r"( *)[^;]*?\{ *(?://[^\n]*)?\n(.*?)^\1\};? *(?://[^\n]*)?$", re.M | re.S)
LINE = re.compile(r"( *)[^{\n]*\{(.*)\}")
STATEMENT = re.compile(r"( *).*(?:\n+(?:\1 |\1[})]|#).*)*")  # and the lines below it that begin further right, or close it


def span(text, cut, label):
    """(begin, end) of what a cut takes away; an end before the begin is that of no lines."""
    def only(found, what):
        if len(found) != 1:
            where = "" if found else " (this needs the library as it was, not the branch of a lab)"
            raise LabError(f"{label}: {len(found)} {what}, expected one{where}")
        return found[0]

    def begin(words, first, last):
        return only([line.start() for line in re.compile(rf"^ *{re.escape(words)}", re.M).finditer(text, first, last)], f"lines begin with {words!r}")

    def between_braces(layout, at):
        found = layout.match(text, at)
        if not found:
            raise LabError(f"{label}: no body in braces follows {text[at:].splitlines()[0].strip()!r}")
        return found.start(2), found.end(2) - (layout is BODY)
    if "piece" in cut:
        return only(places(text, cut["piece"]), f"pieces have the mark {cut['piece']!r} (heed_lab.cutting.mark(TEXT) is that of a text)")
    first, last = between_braces(BODY, begin(cut["in"], 0, len(text))) if "in" in cut else (0, len(text))
    at = begin(cut["at"], first, last)
    if cut["kind"] != "statement":
        return between_braces(BODY if cut["kind"] == "function" else LINE, at)
    return at, STATEMENT.match(text, begin(cut["to"], at, last) if "to" in cut else at).end()


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
    return text[slice(*span(text, cut, label))]


def apply(text, cut, place, label):
    """The text with one cut made; `place` is what the blank says, `label` begins errors."""
    begin, end = span(text, cut, label)
    call = f'::heed::lab::{"mark_not_done" if cut.get("silent") else "not_done"}("{place}");'
    made = {"hide": "", "break": cut.get("with"), "line": f" {call} "}.get(cut["kind"], re.match(" *", text[begin:])[0] + call)
    return text[:begin] + made + text[end:]


def put(text, cut, source, label):
    """The text with the function or struct around a cut as it is in `source`: blank again, or as in the library."""
    if cut["kind"] == "hide":
        return text
    whole = cut if cut["kind"] == "function" else {"kind": "function", "at": cut.get("in") or cut["at"]}
    begin, end = span(text, whole, label)
    return text[:begin] + removed(source, whole, label) + text[end:]


def include_not_done(text):
    """Adds the #include of the blanks below the last one of the file that stands under no #if."""
    if INCLUDE in text:
        return text
    last, level = text.index("\n") + 1, 0
    for line in re.finditer(r"^#(if|endif|include).*\n", text, re.M):
        level += (line[1] == "if") - (line[1] == "endif")
        last = line.end() if line[1] == "include" and level == 0 else last
    return f"{text[:last]}{INCLUDE}\n{text[last:]}"
