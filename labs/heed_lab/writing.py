"""What students write in words: a form for the derivation by hand, the figure and the questions; and what a class gets wrong."""
import csv
import json
import re
from collections import defaultdict, namedtuple

from . import LabError, report

PHOTOS = [f"by-hand.{kind}" for kind in ("jpg", "jpeg", "png", "pdf", "tex")]


def path_of(lab, name="answers.md"):
    return f"labs/{lab.folder.name}/{name}"


def asked(lab):
    """[(title, what is asked)] of the lab's README."""
    text = (lab.folder / "README.md").read_text(encoding="utf-8")
    by_hand = re.findall(r"^(Do by hand[,:].*?)\n\n", text, re.M | re.S)
    sections = dict(re.findall(r"^## (.*?)\n\n(.*?)(?=\n## |\Z)", text, re.M | re.S))
    questions = re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |\Z)", sections.get("Questions", ""), re.M | re.S)
    found = [("By hand", text) for text in by_hand] + [(f"Question {number}", text) for number, text in questions]
    return found + [(title, sections[title]) for title in ("The figure", "A page of claims") if title in sections]


def form(lab):
    parts = [f"# Lab {lab.number}: answers\n\nGraded by hand: {lab.said_by_hand} points.\n"]
    for title, text in asked(lab):
        quoted = "\n".join(f"> {line}" for line in text.strip().splitlines())
        place = f"A photo or a file beside this one, {' or '.join(PHOTOS)}, or here:\n\n" if title == "By hand" else ""
        parts.append(f"## {title}\n\n{quoted}\n\n{place}")
    return "\n".join(parts)


def kept(lab):
    """The files of a submission that are not code."""
    return [*(path_of(lab, name) for name in ("answers.md", *PHOTOS)), report.PROGRESS]


def answers(lab, files):
    """(text, notes) of what a submission has of it; `files` are {name: bytes}."""
    text, photos = files.get(path_of(lab), b"").decode(errors="replace"), [name for name in PHOTOS if path_of(lab, name) in files]
    plain = re.sub(r"^(>.*|A photo or a file beside.*)\n", "", text, flags=re.M)
    given = {title for title, said in re.findall(r"^## (.*?)\n(.*?)(?=\n## |\Z)", plain, re.M | re.S) if said.strip()} | {"By hand" for _ in photos}
    missing = ", ".join(title for title, _ in asked(lab) if title not in given)
    notes = [f"to be graded by hand: {', '.join(photos + [path_of(lab)] * bool(text)) or 'nothing was handed in'}"
             + (f"; not answered: {missing}" if text and missing else "")]
    if lab.tells_hints:
        taken = report.read_progress(files.get(report.PROGRESS, b"").decode(errors="replace")).get(str(lab.number), {}).get("hints", {})
        hints = [f"{taken[check.name]} of {check.name}" for check in lab.checks if taken.get(check.name)]
        notes.append(f"hints taken: {', '.join(hints) or 'none that was kept'}")
    return text, notes


Slip = namedtuple("Slip", "file old new check says")


def planted(root, lab):
    """[Slip] that the tests plant; handouts have none."""
    path = root / f"tests/labs/slips/{lab.number:02}.json"
    files = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [Slip(file, *row) for file, rows in files.items() for row in rows]


def rows_of(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError:
        raise LabError(f"{path} is not there: labs/heed-lab grade N SUBMISSION --out {path.parent} writes it") from None


def overview(course, folder):
    """Lines about a class: each mistake with who made it, the most frequent first, and the planted one that it looks like."""
    found, graded = defaultdict(set), {(row["student"], row["lab"]) for row in rows_of(folder / "grades.csv")}
    for row in rows_of(folder / "mistakes.csv"):
        found[int(row["lab"]), row["check"], row["what it means"]].add(row["student"])
    for (number, check, said), names in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        of = sum(lab == str(number) for _, lab in graded)
        yield f"{len(names):>3} of {of}  lab {number}, {check}: {said or 'no explanation'}  ({', '.join(sorted(names))})"
        for slip in planted(course.root, course.lab(number)):
            if slip.check == check and slip.says and slip.says in said:
                yield f"{'':>10}  like {' '.join(slip.new.split()) or 'nothing'}  for  {' '.join(slip.old.split())}"
