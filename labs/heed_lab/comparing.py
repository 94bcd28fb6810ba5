"""What of submissions is somebody's own: what they share with others, and questions about it."""
import hashlib
import random
import re
import zlib
from itertools import combinations

from . import LabError
from .grading import name_of, read_submission

GRAM, WINDOW = 10, 6  # tokens: a copy of GRAM + WINDOW - 1 in a row is surely found
LEAST = 8             # fingerprints of one's own in a file; who is right in fewer lines is alike by chance
COMMON = 6            # from so many submissions on, what more than half of them have counts for nobody
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.\']*|[^\w\s]')
LIBRARY = "the library"

KINDS = (  # (what a line looks like, what to ask)
    (r"^(for|while)\b", "How often does it run in the smallest case that a check draws? What is true after each turn?"),
    (r"^(\} )?(else )?if\b", "Name an input for which this holds and one for which it does not. What goes wrong without it?"),
    (r"[-+*]=", "What would = do here? Which check sees it, and with which numbers?"),
    (r"std::move|\breset\(|shared_ptr|nullptr", "Who owns what is named here, before this line and after it?"),
    (r"\bexp|\blog|sqrt|[^/]/[^/]", "Which inputs make this infinite, NaN or inexact, and what prevents it?"),
    (r"^return\b", "What is returned for the smallest input there is? Compute it by hand."),
    (r"[^=!<>]=[^=]", "What does it hold in a 2 x 2 case? Compute it by hand."),
    (r"\(", "What is called here, what does it need to be true, and what sees to it?"))


def tokens(text, known):
    """Names that are not in `known` count the same, as do numbers and texts: who renames changes nothing."""
    found = TOKEN.findall(COMMENT.sub(" ", text))
    return [t if t in known or not re.match(r'[\w"]', t) else "n" if t[0].isdigit() else "v" for t in found]


def fingerprints(words):
    """Winnowing (Schleimer, Wilkerson, Aiken 2003): the least hash of each window of WINDOW grams."""
    hashes = [zlib.crc32(" ".join(words[i:i + GRAM]).encode()) for i in range(len(words) - GRAM + 1)]
    return {min(hashes[i:i + WINDOW]) for i in range(max(1, len(hashes) - WINDOW + 1)) if hashes}


def own_prints(blank, texts):
    """{file: fingerprints of what is not in the blank}"""
    found = {}
    for name, text in texts.items():
        known = set(TOKEN.findall(COMMENT.sub(" ", blank[name])))
        found[name] = fingerprints(tokens(text, known)) - fingerprints(tokens(blank[name], known))
    return found


def blanks(course, lab):
    """{file: text} as students get them."""
    texts = course.blanks(lab)
    own = {name: (course.root / name).read_text(encoding="utf-8") for name in lab.own if name not in texts}
    return {**texts, **own}


def submissions(folders):
    """(year/name, path) of each submission in each folder."""
    for folder in folders:
        if not folder.is_dir():
            raise LabError(f"{folder}: a folder of submissions is asked for, each a folder or a zip")
        for path in sorted(folder.iterdir()):
            if path.is_dir() or path.suffix == ".zip":
                yield f"{folder.name}/{name_of(path)}", path


def similar(course, lab, folders, least):
    """(share, one, other, file, how many are shared), the largest first: of the smaller one's fingerprints of a file, shared ones."""
    blank = blanks(course, lab)
    prints = {LIBRARY: own_prints(blank, {name: course.texts(lab)[name] for name in lab.written})}
    for name, path in submissions(folders):
        prints[name] = own_prints(blank, read_submission(path, lab))
    found = []
    for file in lab.own:
        of = {name: files[file] for name, files in prints.items() if file in files}
        counts = {}
        for name in of if len(of) > COMMON else ():
            for print_ in of[name]:
                counts[print_] = counts.get(print_, 0) + 1
        common = {print_ for print_, count in counts.items() if 2 * count > len(of)}
        for one, other in combinations(of, 2):
            a, b = of[one] - common, of[other] - common
            smaller = min(len(a), len(b))
            if smaller >= LEAST and len(a & b) >= least * smaller:
                found.append((len(a & b) / smaller, one, other, file, len(a & b)))
    return sorted(found, reverse=True)


def questions(course, lab, path, count=3):
    """(file, line number, line, question) about lines of the student's own, of different kinds; the same each time for the same texts."""
    blank, texts = blanks(course, lab), read_submission(path, lab)
    chance = random.Random(hashlib.sha256("".join(texts.values()).encode()).digest())
    found = []
    for name, text in texts.items():
        given = {line.strip() for line in blank[name].splitlines()}
        for number, line in enumerate(text.splitlines(), 1):
            code = COMMENT.sub("", line).strip()
            kind = next((kind for kind in KINDS if re.search(kind[0], code)), None)
            if kind and line.strip() not in given and not code.startswith("#"):
                found.append((name, number, code, kind[1]))
    chance.shuffle(found)
    asked = {}
    for row in found:  # the first of each kind
        asked.setdefault(row[3], row)
    return sorted((list(asked.values()) + [row for row in found if row not in asked.values()])[:count])
