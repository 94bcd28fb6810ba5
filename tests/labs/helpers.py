"""What the tests of the course share."""
import html
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

from heed_lab.build import Build, write_overlay
from heed_lab.course import Course

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = None  # set by run.py
SEED = 20
CHROMIUM = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)


def course():
    return Course(ROOT)


def build():
    return Build(ROOT, BUILD)


def program(lab, texts, name, units=()):
    """The program of a lab with these texts in place of the library's."""
    folder = BUILD / "labs" / "tests" / f"{lab.target}-{name}"
    changed = {file: text for file, text in texts.items() if text != (ROOT / file).read_text()}
    return build().program(lab, folder, write_overlay(folder / "src", changed), units)


def bench_of(number, with_program=None):
    """What the pictures need of a student's tree."""
    lab = course().lab(number)
    return SimpleNamespace(root=ROOT, lab=lab, build=build(), out=BUILD / "labs/tests" / lab.target,
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


def unreadable(page):
    """What the pages of the program are searched for (tests/heed/chromium.h): low contrast, text that is cut off, boxes that no key reaches;
    in light and in dark."""
    find = re.search(r'kFindProblems\[\] = R"js\((.*?)\)js"', (ROOT / "tests/heed/chromium.h").read_text(), re.S)[1]
    script = find + """onload = async () => {
      const found = await findProblems();
      document.body.innerHTML = '<pre id="seen"></pre>';
      document.querySelector('#seen').textContent = JSON.stringify(found);
    };"""
    return [found for dark in (False, True) if (found := in_a_browser(page, script, dark))]


FRAMES = """<!DOCTYPE html><title></title><pre id="seen">[]</pre><script>
const seen = document.querySelector('#seen');
onmessage = event => seen.textContent = JSON.stringify([...JSON.parse(seen.textContent), event.data]);
</script></body>"""


def too_wide(page):
    """[(width of the screen, width of the page)], the narrowest first, of phones to laptops: where the page does not fit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inner.html"
        path.write_text(page.replace("</body>", "<script>onload = () => parent.postMessage([innerWidth, document.documentElement.scrollWidth], '*')"
                                                "</script></body>"))
        widths = (320, 390, 768, 1280)
        frames = "".join(f'<iframe src="file://{path}" style="border:0; height:900px; width:{width}px"></iframe>' for width in widths)
        seen = sorted(map(tuple, in_a_browser(FRAMES.replace("<script>", frames + "<script>"), "")))
    assert [width for width, _ in seen] == list(widths), seen
    return [(width, wide) for width, wide in seen if wide > width]


def for_each_lab(test):
    """Calls a test method with each lab."""
    def run(self):
        for lab in course().labs.values():
            with self.subTest(lab=lab.number):
                test(self, lab)
    return run
