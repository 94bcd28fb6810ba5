"""The page of a graph, in Chromium where there is one, and the commands of the debugger, where there is gdb."""
import shutil
import subprocess
import unittest

import helpers
from heed_lab import LabError, commands, pictures
from heed_lab.build import write_files
from heed_lab.running import run_check
from helpers import CHROMIUM, bench_of, changed, in_a_browser
from test_pages import Balanced

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


class Graph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        bench = bench_of(2)
        cls.lab, cls.story = bench.lab, pictures.numbers_of(bench.program(), "--show", 5)
        _, body, script = pictures.part(bench, "graph", 5)
        cls.page = pictures.page(cls.lab, {body: script}, "graph")

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
        program = changed(2, "held", "autograd/var.cc", "  node.backward = nullptr;\n", "")
        last = pictures.numbers_of(program, "--show", 5)["steps"][-1]
        self.assertGreater(last["bytes"] - last["freed"], 3 << 20)  # x w + b, the bump, and the error

    def test_text(self):
        text, memory = (show(pictures.Story(self.story))[0] for show in (pictures.Story.graph, pictures.Story.memory))
        self.assertEqual(len(text.splitlines()), 2 + len(self.story["nodes"]))
        self.assertRegex(text, r"\n +9 +exp +the bump +\(512, 256\) +8( +\d+\.\d\d)? +\d+ +\d+\.\d\d +\d\.00\n")
        self.assertEqual(len(memory.splitlines()), len(self.story["steps"]))
        self.assertEqual(max(line.count("#") for line in memory.splitlines()), 40)

    def test_the_page_stands_alone(self):
        made = Balanced(self.page)
        self.assertEqual((made.open, made.elsewhere), ([], []))
        self.assertEqual(made.counts["tr"], 1 + len(self.story["nodes"]))
        self.assertIn("default-src 'none'", self.page)
        self.assertNotIn("http", self.page.replace("http-equiv", ""))

    def test_labs_without_a_page_say_so(self):
        with self.assertRaisesRegex(LabError, "^lab 0 has no graph$"):
            pictures.part(bench_of(0), "graph", 5)
        with self.assertRaisesRegex(LabError, "lab 2 has no access"):
            pictures.part(bench_of(2), "access", 5)

    @unittest.skipUnless(CHROMIUM, "no chromium here")
    def test_in_a_browser(self):
        seen, steps = in_a_browser(self.page, CLICKS), self.story["steps"]
        self.assertEqual(seen["errors"], 0)
        self.assertEqual(seen["first"][1], [steps[0]["number"]])
        self.assertEqual(seen["next"], [f"Step 2 of {len(steps)}, recorded: parameter (1), 0.00 MiB in use", [steps[1]["number"]]])
        self.assertEqual(seen["left"], [steps[0]["number"]])
        self.assertEqual(seen["last"][1], [steps[-1]["number"]])
        self.assertEqual(seen["played"], [seen["last"][0], "Play", "700"])


@unittest.skipUnless(shutil.which("addr2line"), "no addr2line here")
class Lines(unittest.TestCase):
    """Of accesses that the emulation stops: where the kernel makes them."""

    def test_of_kernels_to_repair(self):
        lab, five = helpers.course().lab(9), "labs/09-a-kernel/five.cu"
        texts = helpers.course().texts(lab)
        texts[five] = lab.cut(texts)[five].replace("i = static_cast<int>(blockIdx.x) * kBlock + t;", "i = 65;\n  tile[i + t] = T(0);")
        folder = helpers.BUILD / "labs/tests/lines"
        program = helpers.build().program(lab, folder, write_files(folder / "src", texts, alone=True), flags=("-g1",))
        lines = texts[five].splitlines()
        for check, line in (("Scale", "y[i] = factor * x[i];"), ("Reverse", "mine[threadIdx.x] = tile[kBlock"), ("Smooth", "tile[i + t] = T(0);"),
                            ("Difference", "y[i] -= y[i - 1];")):
            at = 1 + next(i for i, text in enumerate(lines) if line in text)
            message = run_check(program, lab.check(check), 5).message
            self.assertRegex(message, rf"^(Failed\n)?the emulation stopped it: [^\n]*\n  at {five}:{at}\nWhat it means: ", check)
            self.assertNotIn("code", message)


@unittest.skipUnless(shutil.which("gdb"), "no gdb here")
class Debugger(unittest.TestCase):
    def test_commands(self):
        lab = helpers.course().lab(2)
        program = helpers.build().program(lab, helpers.BUILD / "labs/tests/debug", flags=commands.DEBUGGED)
        words = ["backward-step", "backward-step", "delete", "break heed::GradientBuffer::add(heed::Tensor)", "continue", "tensor dx", "tensor *this",
                    "tensor 3"]
        said = self.gdb(program, "LongAndShortPathsMeet", words)
        self.assertRegex(said, r"node \d+, weigh: gradient f64 \(\)  norm 1  \[1\]\nnode \d+, weigh: gradient f64 \(\)  norm 1  \[1\]", said)
        self.assertIn("f64 ()  norm 1  [1]\n", said)
        self.assertIn("undefined\n", said)  # the buffer, before its first contribution
        self.assertIn("tensor: a heed::Tensor, Var, Saved or GradientBuffer is asked for, got int", said)
        self.assertIn("no closure ran", self.gdb(program, "ConstantsAreNotRecorded", ["backward-step"]))

    def test_it_stops_in_a_thread_of_a_kernel(self):
        lab = helpers.course().lab(9)
        program = helpers.build().program(lab, helpers.BUILD / "labs/tests/debug-9", flags=commands.DEBUGGED)
        line = 1 + next(i for i, text in enumerate((lab.folder / "five.cu").read_text().splitlines()) if "y[i] = factor * x[i]" in text)
        said = self.gdb(program, "Scale", [*commands.stop_at(f"five.cu:{line}", 2), "print threadIdx", "print i", "print n > 128"])
        self.assertRegex(said, rf"\n{line}\t.*\n\$1 = \{{x = 2, y = 0, z = 0\}}\n\$2 = 2\n\$3 = true\n", said)

    def gdb(self, program, check, commands):
        words = [word for command in commands for word in ("-ex", command)]
        done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-x", helpers.ROOT / "labs/support/gdb_commands.py", *words, "--args", program,
                               f"--gtest_filter=Lab.{check}", "--seed=4"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        return done.stdout + done.stderr
