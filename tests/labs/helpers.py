"""What the tests of the course share."""
import html
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

from heed_lab import report
from heed_lab.build import Build, write_files
from heed_lab.course import Course

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = None  # set by run.py
SEED = 20
CHROMIUM = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)


SAVE = report.Progress.save


def forget_progress():
    """Tests leave nothing in the tree; those of Progress itself name a file."""
    report.PROGRESS = BUILD / "labs/tests/progress.json"
    report.Progress.save = lambda self: None


def course():
    return Course(ROOT)


def build():
    return Build(ROOT, BUILD)


def program(lab, texts, name, units=()):
    """The program of a lab with these texts in place of the library's."""
    folder = BUILD / "labs" / "tests" / f"{lab.target}-{name}"
    changed = {file: text for file, text in texts.items() if text != (ROOT / file).read_text()}
    return build().program(lab, folder, write_files(folder / "src", changed, alone=True), units)


def bench_of(number, with_program=None):
    """What the pictures need of a student's tree."""
    lab = course().lab(number)
    return SimpleNamespace(root=ROOT, course=course(), lab=lab, build=build(), out=BUILD / "labs/tests" / lab.target,
                           program=lambda: with_program or BUILD / "labs" / lab.target)


def changed(number, name, file, old, new):
    """The program of a lab with a mistake in it."""
    lab = course().lab(number)
    texts = course().texts(lab)
    assert texts[file].count(old) == 1, old
    return program(lab, {**texts, file: texts[file].replace(old, new)}, name)


def in_a_browser(page, script, dark=False):
    """What the script, put at the end of a page, leaves in #seen."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lab.html"
        path.write_text(page.replace("</body>", f"<script>{script}</script></body>"))
        done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                               f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--user-data-dir={folder}/profile", "--window-size=1280,900", "--virtual-time-budget=90000", "--dump-dom",
                               f"file://{path}"], capture_output=True, text=True, timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout)
    assert found, done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


FRAMES = """<!DOCTYPE html><title></title><pre id="seen">[]</pre><script>
const seen = document.querySelector('#seen');
onmessage = event => seen.textContent = JSON.stringify([...JSON.parse(seen.textContent), event.data]);
</script></body>"""


# What the pages of heed are asked, in JavaScript: `await findProblems()`.
FIND_PROBLEMS = re.search(r'R"js\((.*?)\)js"', (ROOT / "tests/heed/chromium.h").read_text(), re.DOTALL)[1]


def page_problems(page):
    """{"light, 320": what is wrong} of phones to laptops, light and dark: what is wider than the screen, too faint, out of reach of keys
    (tests/heed/chromium.h); empty where all is fine."""
    look = FIND_PROBLEMS + "onload = async () => parent.postMessage([innerWidth, await findProblems()], '*')"
    widths, problems = (320, 390, 768, 1280), {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inner.html"
        path.write_text(page.replace("</body>", f"<script>{look}</script></body>"))
        frames = "".join(f'<iframe src="file://{path}" style="border:0; height:900px; width:{width}px"></iframe>' for width in widths)
        for scheme in ("light", "dark"):
            seen = sorted(map(tuple, in_a_browser(FRAMES.replace("<script>", frames + "<script>"), "", dark=scheme == "dark")))
            assert [width for width, _ in seen] == list(widths), seen
            problems.update({f"{scheme}, {width}": what for width, what in seen if what})
    return problems


def for_each_lab(test):
    """Calls a test method with each lab."""
    def run(self):
        for lab in course().labs.values():
            with self.subTest(lab=lab.number):
                test(self, lab)
    return run
