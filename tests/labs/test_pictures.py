"""The tensors of a check, the accesses of a kernel and a roofline: their numbers, and the page, in Chromium where there is one."""
import math
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import helpers
from heed_lab import LabError, pictures
from heed_lab.course import Course
from heed_lab.running import run_check
from helpers import CHROMIUM, bench_of, changed, in_a_browser, page_problems
from test_pages import Balanced

SLOPE = ("tensor/kernels/elementwise_ops.h", "return T(2) * x;", "return T(3) * x;")  # of the square: 1.5 times what it should be
LOOKS = """
const seen = {errors: 0, wide: document.documentElement.scrollWidth > innerWidth};
addEventListener('error', () => ++seen.errors);
const all = words => [...document.querySelectorAll(words)];
seen.unnamed = all('.scroll').filter(box => box.tabIndex !== 0 || !box.getAttribute('aria-label')).length;
const summary = document.querySelector('summary');
summary.focus();
summary.click();
seen.lanes = [document.activeElement === summary, summary.parentElement.open, summary.parentElement.innerText];
seen.boxes = all('.access tbody tr').map(row => row.querySelectorAll('.box:not(.none)').length);
const frame = cell => getComputedStyle(cell).borderTopWidth;
seen.frames = [new Set(all('td.wrong').map(frame)), new Set(all('.cells .heat:not(.wrong)').map(frame))].map(set => [...set]);
const beside = all('.cells').slice(0, 2).map(table => table.getBoundingClientRect());
seen.apart = beside[0].right <= beside[1].left || beside[0].bottom <= beside[1].top;  // side by side where there is room
seen.colours = new Set(all('.cells td').map(cell => getComputedStyle(cell).backgroundColor)).size;
document.body.innerHTML = '<pre id="seen">' + JSON.stringify(seen) + '</pre>';
"""


class Tensors(unittest.TestCase):
    """Of a lab in which all elements but a 0 are wrong, and of one in which they are right up to element 100."""

    @classmethod
    def setUpClass(cls):
        cls.wrong = bench_of(0, changed(0, "shown", *SLOPE))
        cls.text, cls.body, _ = pictures.part(cls.wrong, "tensor", 5)

    def test_the_first_check_that_fails(self):
        count, wrong, of = map(int, re.fullmatch(r"check SlopeOfTheSquare, seed 5: failed\n  the slope of x\^2 \((\d+)\): (\d+) of (\d+) elements differ",
                                                 self.text).groups())
        self.assertEqual((wrong, of), (count - 1, count))  # one x is 0
        self.assertIn("<h2>Check SlopeOfTheSquare, seed 5: failed</h2>", self.body)

    def test_cells(self):
        """Numbers, signs and shades are those of both tensors; what differs is marked in one's own."""
        expected, yours = re.findall(r"<table.*?</table>", self.body, re.S)
        cells = re.compile(r'<td class="heat ?([a-z ]*)" style="--heat:([\d.]+)">(× )?(.*?)</td>')
        wants, gots = cells.findall(expected), cells.findall(yours)
        self.assertGreaterEqual(len(wants), 5)
        most = max(abs(float(text.replace("−", "-"))) for *_, text in wants)
        for (kind, heat, mark, text), (own_kind, own_heat, own_mark, own) in zip(wants, gots):
            want, got = float(text.replace("−", "-")), float(own.replace("−", "-"))
            self.assertAlmostEqual(got, 1.5 * want, delta=2e-3 * abs(want))
            self.assertEqual((kind, mark), ("minus" if want < 0 else "", ""))
            self.assertEqual((own_kind.split(), own_mark), (["minus"] * (want < 0) + ["wrong"] * (want != 0), "× " * (want != 0)))
            self.assertAlmostEqual(float(heat), abs(want) / most, delta=0.006)
            self.assertAlmostEqual(float(own_heat), min(1, abs(got) / most), delta=0.006)

    def test_the_first_wrong_element_is_shown(self):
        program = changed(9, "tail", "labs/09-a-kernel/five.cu", "y[i] = factor * x[i];", "y[i] = (i > 100 ? T(2) : factor) * x[i];")
        text, body, _ = pictures.part(bench_of(9, program), "tensor", 5, "Scale")
        wrong, count = map(int, re.search(r"a x, a = \S+, \d+ elements \(\d+\): (\d+) of (\d+) elements differ", text).groups())
        self.assertEqual(wrong, count - 102)  # the one in the middle is 0
        self.assertIn(f"Shown are rows 0 to 0 of 1 and columns 95 to 106 of {count}.", body)
        yours = re.findall(r"<table.*?</table>", body, re.S)[1]
        self.assertEqual([kind.endswith("wrong") for kind in re.findall(r'<td class="([a-z ]*)"', yours)], [False] * 6 + [True] * 6)
        message = run_check(program, helpers.course().lab(9).check("Scale"), 5).message
        self.assertRegex(message, rf"this is from element 64 on\n    \.{{37}}x{{{min(count - 101, 27)}}}\n")

    def test_what_compares_none_says_so(self):
        with self.assertRaisesRegex(LabError, "ConstantsAreNotRecorded compares tensors here"):
            pictures.part(bench_of(2), "tensor", 5, "ConstantsAreNotRecorded")


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.numbers = pictures.numbers_of(helpers.BUILD / "labs/lab_09", "--show", 5)

    def costs(self, kernel):
        return [row["cost"] for row in kernel["accesses"]]

    def test_before_and_after(self):
        direct, yours, column = self.numbers["kernels"][:3]
        self.assertEqual((self.costs(direct), self.costs(yours), self.costs(column)), ([4, 32], [4, 0, 0, 4], [4, 31, 31, 4]))
        said, body, _ = pictures.accesses(self.numbers)
        self.assertRegex(said, r"writes y +32 lanes  32 sectors, 4 would do\nYour transposition\n")
        self.assertEqual(body.count("<tr class=over>"), 3)

    def test_boxes_are_what_the_emulation_counts(self):
        for kernel in self.numbers["kernels"]:
            self.assertEqual(kernel["stopped"], "")
            self.assertTrue(kernel["accesses"])
            for row in kernel["accesses"]:
                boxes = re.findall(r'class="box ?(\w*)">([\d·]+)<', pictures.boxes(row))
                if row["shared"]:
                    words = [0 if text == "·" else int(text) for _, text in boxes]
                    self.assertEqual((len(words), max(words) - 1), (32, row["cost"]))
                    self.assertEqual([kind for kind, _ in boxes], ["waits" if n > 1 else "" if n else "none" for n in words])
                else:
                    self.assertEqual(len(boxes), row["cost"])
                    self.assertEqual(sum(int(text) for _, text in boxes), len(pictures.lanes(row)))

    def test_what_is_stopped_or_not_written_says_so(self):
        lab = helpers.course().lab(9)
        blank = helpers.program(lab, lab.cut(helpers.course().texts(lab)), "blank")
        text, body, _ = pictures.part(bench_of(9, blank), "access", 5)
        self.assertIn("Your softmax of a row of 160: stopped, not written yet: lab 9, softmax", text)
        self.assertIn("<p>It was stopped: not written yet: lab 9, column_sum</p>", body)
        self.assertEqual(self.costs(pictures.numbers_of(blank, "--show", 5)["kernels"][1]), [4, 0, 0, 32])


class Figure(unittest.TestCase):
    def test_labels_of_an_axis_have_room(self):
        text = pictures.figure(helpers.ROOT, helpers.BUILD / "labs/lab_09", 5)
        labels = re.findall(r'y="290.0" text-anchor="middle" >(.*?)<', text)
        self.assertEqual(labels, [str(lane) for lane in range(0, 32, 3)])


class Roofline(unittest.TestCase):
    NUMBERS = {"title": "Products", "x": "", "y": "", "values": [0.5, 1, 2, 4, 8, 16],
               "facts": {"GFLOP/s of the processor": 100.0, "GB/s of the memory": 20.0},
               "lines": {"roof": [0] * 6, "Eigen": [5, 10, 15, 20, 25, 30], "yours": [10, 19, 30, 60, 80, 100]}}

    def part(self, heed):
        with mock.patch.object(pictures, "numbers_of", lambda *_: self.NUMBERS), mock.patch.object(pictures, "heeds", lambda *_: heed):
            return pictures.part(bench_of(10), "roofline", 5)

    def test_points_stand_below_the_roof_where_they_belong(self):
        text, body, _ = self.part({"yours": [10, 20, 40, 80, 100, 100], "Eigen": [1] * 6})
        self.assertIn("100.0 GFLOP/s of the processor, 20.0 GB/s of the memory", text)
        self.assertEqual(re.findall(r'<th scope="col">(.*?)</th>', body), ["operations for each byte", "roof", "● yours", "○ heed", "◆ Eigen"])
        self.assertIn("<tr><td>4</td><td>80.0</td><td>60.0 (75%)</td><td>80.0 (100%)</td><td>20.0 (25%)</td></tr>", body)
        roof = [tuple(map(float, point.split(","))) for point in re.search(r'roof-line" points="(.*?)"', body)[1].split()]
        self.assertEqual(len(roof), 3)
        self.assertAlmostEqual(roof[1][0], 60 + 620 * math.log2(10) / 5, delta=0.1)  # 5 operations for each byte
        self.assertEqual(roof[1][1], roof[2][1])
        marks = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle" class="symbol">(.)</text>', body)
        self.assertEqual([mark for *_, mark in marks], list("●" * 6 + "○" * 6 + "◆" * 6))
        x, y, _ = marks[5]  # as fast as the processor
        self.assertEqual((float(x), float(y)), (roof[2][0], round(roof[2][1] + 5, 1)))
        self.assertTrue(all(float(y) >= roof[2][1] for _, y, _ in marks))

    def test_the_projects_version_is_that_of_the_branch(self):
        """Told by its figure: here it is one that keeps its closures, whatever the tree has."""
        bench = bench_of(2)
        texts = helpers.course().texts(bench.lab)
        texts["autograd/var.cc"] = texts["autograd/var.cc"].replace("  node.backward = nullptr;\n", "")
        with mock.patch.object(Course, "reference", lambda *_: texts):
            self.assertGreater(min(pictures.heeds(bench, 5)["yours"]), 7.9)

    def test_a_tree_without_the_projects_version(self):
        self.assertEqual(pictures.heeds(bench_of(10), 5), {})

    def test_other_labs_have_none(self):
        with self.assertRaisesRegex(LabError, "lab 0 has no roofline"):
            pictures.part(bench_of(0), "roofline", 5)


class NoPicture(unittest.TestCase):
    def test_what_is_wrong_is_one_line(self):
        for does, message in (("echo here; echo '{}'", "does your code print.*'here"), ("""echo '{"lines": {"a": [1, null]}}'""", "NaN or infinite"),
                              ("""echo '{"lines": {"a": [0, -1]}}'""", "none is above 0"), ("exec sleep 9", "did not end within 1 s"), ("exit 3", "status 3")):
            with tempfile.TemporaryDirectory() as folder, mock.patch.object(pictures, "SECONDS", 1):
                (program := Path(folder) / "program").write_text(f"#!/bin/sh\n{does}\n")
                program.chmod(0o755)
                with self.assertRaisesRegex(LabError, message):
                    pictures.numbers_of(program, "--figure", 1)


class Page(unittest.TestCase):
    """All pictures on one page."""

    @classmethod
    def setUpClass(cls):
        wrong = bench_of(0, changed(0, "shown", *SLOPE))
        whats = ((wrong, "tensor"), (bench_of(2), "graph"), (bench_of(9), "access"))
        found = [pictures.part(bench, what, 5) for bench, what in whats] + [Roofline().part({})]
        cls.page = pictures.page(wrong.lab, {body: script for _, body, script in found}, "everything")

    def test_it_stands_alone(self):
        made = Balanced(self.page)
        self.assertEqual((made.open, made.elsewhere), ([], []))
        self.assertNotIn("http", self.page.replace("http-equiv", ""))

    @unittest.skipUnless(CHROMIUM, "no chromium here")
    def test_in_a_browser(self):
        seen = in_a_browser(self.page, LOOKS)
        self.assertEqual((seen["errors"], seen["wide"], seen["unnamed"], seen["apart"]), (0, False, 0, True))
        self.assertEqual(seen["lanes"][:2], [True, True])
        self.assertRegex(seen["lanes"][2], r"0→0 1→1 .* 31→31")
        self.assertEqual(seen["boxes"][:6], [4, 32, 4, 32, 32, 4])
        self.assertEqual(seen["frames"], [["3px"], ["1px"]])
        self.assertGreater(seen["colours"], 4)
        self.assertEqual(page_problems(self.page), {})
