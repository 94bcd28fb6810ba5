"""The page of a graph, in Chromium where there is one, and the commands of the debugger, where there is gdb."""
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import helpers
from heed_lab import LabError, explore
from test_pages import Balanced

CHROMIUM = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
CLICKS = """
const said = () => document.querySelector('#said').textContent;
const now = () => [...document.querySelectorAll('tr.now')].map(row => Number(row.dataset.number));
const seen = {errors: 0, first: [said(), now()]};
addEventListener('error', () => ++seen.errors);
document.querySelector('#next').click();
seen.next = [said(), now()];
document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}));
seen.left = now();
document.querySelector('#at').value = story.steps.length - 1;
document.querySelector('#at').oninput();
seen.last = [said(), now()];
document.querySelector('#play').click();
setTimeout(() => {
  seen.played = [said(), document.querySelector('#play').textContent, mark.getAttribute('cx')];
  document.body.innerHTML = '<pre id="seen">' + JSON.stringify(seen) + '</pre>';
}, 60000);
"""


class Explore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = helpers.course().lab(2)
        cls.program = helpers.BUILD / "labs" / cls.lab.target
        cls.story = explore.story_of(cls.program, 5)
        cls.page = explore.page(helpers.ROOT, cls.lab, cls.story, 5)

    def test_the_graph_is_played_from_new_to_old(self):
        steps = self.story["steps"]
        played = [step["number"] for step in steps if not step["forward"]]
        ops = [node["number"] for node in self.story["nodes"] if node["op"] != "parameter"]
        self.assertEqual(played, sorted(ops, reverse=True))
        recorded = [step["number"] for step in steps if step["forward"]]
        self.assertEqual(recorded, sorted(recorded))
        for node in self.story["nodes"]:
            self.assertTrue(all(source == "constant" or source < node["number"] for source in node["inputs"]))

    def test_memory_falls(self):
        steps = self.story["steps"]
        self.assertLess(steps[-1]["bytes"] - steps[-1]["freed"], 1 << 14)
        self.assertGreater(max(step["bytes"] for step in steps), 4 << 20)
        for step, following in zip(steps, steps[1:]):  # a step makes one gradient of 1 MiB at most
            self.assertLess(following["bytes"] - (step["bytes"] - step["freed"]), (1 << 20) + 8192)

    def test_closures_that_are_kept_show(self):
        """The mistake that the figure of the lab is about, in a student's engine."""
        texts = helpers.course().texts(self.lab)
        texts["autograd/var.cc"] = texts["autograd/var.cc"].replace("  node.backward = nullptr;\n", "")
        last = explore.story_of(helpers.program(self.lab, texts, "held"), 5)["steps"][-1]
        self.assertGreater(last["bytes"] - last["freed"], 3 << 20)  # x w + b, the bump, and the error

    def test_text(self):
        graph, memory = explore.graph_text(self.story), explore.memory_text(self.story)
        self.assertEqual(len(graph.splitlines()), 2 + len(self.story["nodes"]))
        self.assertRegex(graph, r"\n +9  exp        \(512, 256\)     8 +\d+ +\d\.00  the bump\n")
        self.assertEqual(len(memory.splitlines()), len(self.story["steps"]))
        self.assertEqual(max(line.count("#") for line in memory.splitlines()), 40)

    def test_the_page_stands_alone(self):
        made = Balanced(self.page)
        self.assertEqual((made.open, made.elsewhere), ([], []))
        self.assertEqual(made.counts["tr"], 1 + len(self.story["nodes"]))
        self.assertIn("default-src 'none'", self.page)
        self.assertNotIn("http", self.page.replace("http-equiv", ""))

    def test_labs_without_a_page_say_so(self):
        with self.assertRaisesRegex(LabError, "this lab has no page"):
            explore.story_of(helpers.BUILD / "labs/lab_00", 5)

    @unittest.skipUnless(CHROMIUM, "no chromium here")
    def test_in_a_browser(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lab.html"
            path.write_text(self.page.replace("</body>", f"<script>{CLICKS}</script></body>"))
            done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                                   f"--user-data-dir={folder}/profile", "--virtual-time-budget=90000", "--dump-dom", f"file://{path}"],
                                  capture_output=True, text=True, timeout=120)
        found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout)
        self.assertTrue(found, done.stderr[-2000:])
        seen, steps = json.loads(found[1]), self.story["steps"]
        self.assertEqual(seen["errors"], 0)
        self.assertEqual(seen["first"][1], [steps[0]["number"]])
        self.assertEqual(seen["next"], [f"Step 2 of {len(steps)}, recorded: parameter (1), 0.00 MiB in use", [steps[1]["number"]]])
        self.assertEqual(seen["left"], [steps[0]["number"]])
        self.assertEqual(seen["last"][1], [steps[-1]["number"]])
        self.assertEqual(seen["played"], [seen["last"][0], "Play", "700"])


@unittest.skipUnless(shutil.which("gdb"), "no gdb here")
class Debugger(unittest.TestCase):
    def test_commands(self):
        lab = helpers.course().lab(2)
        program = helpers.build().program(lab, helpers.BUILD / "labs/tests/debug", flags=("-Og", "-g"))
        commands = ["backward-step", "backward-step", "delete", "break heed::GradientBuffer::add(heed::Tensor)", "continue", "tensor dx", "tensor *this",
                    "tensor 3"]
        said = self.gdb(program, "LongAndShortPathsMeet", commands)
        self.assertRegex(said, r"node \d+, weigh: gradient f64 \(\)  norm 1  \[1\]\nnode \d+, weigh: gradient f64 \(\)  norm 1  \[1\]", said)
        self.assertIn("f64 ()  norm 1  [1]\n", said)
        self.assertIn("undefined\n", said)  # the buffer, before its first contribution
        self.assertIn("tensor: a heed::Tensor, Var, Saved or GradientBuffer is asked for, got int", said)
        self.assertIn("no closure ran", self.gdb(program, "ConstantsAreNotRecorded", ["backward-step"]))

    def gdb(self, program, check, commands):
        words = [word for command in commands for word in ("-ex", command)]
        done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-x", helpers.ROOT / "labs/support/gdb_commands.py", *words, "--args", program,
                               f"--gtest_filter=Lab.{check}", "--seed=4"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        return done.stdout + done.stderr
