"""What the tests of the course share."""
from pathlib import Path

from heed_lab.build import Build, write_overlay
from heed_lab.course import Course

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = None  # set by run.py
SEED = 20


def course():
    return Course(ROOT)


def build():
    return Build(ROOT, BUILD)


def program(lab, texts, name, units=()):
    """The program of a lab with these texts in place of the library's."""
    folder = BUILD / "labs" / "tests" / f"{lab.target}-{name}"
    changed = {file: text for file, text in texts.items() if text != (ROOT / file).read_text()}
    return build().program(lab, folder, write_overlay(folder / "src", changed), units)


def for_each_lab(test):
    """Calls a test method with each lab."""
    def run(self):
        for lab in course().labs.values():
            with self.subTest(lab=lab.number):
                test(self, lab)
    return run
