"""The second opinion on the pages of results sees what it is there for. (That the pages are right is experiment_tables_test.)"""
import ast
import math
import random
import re
import subprocess
import sys
import unittest
from statistics import fmean, variance
from unittest import mock

from helpers import ROOT, SCRIPTS
from results_pages import MODULES, checks, common, distraction
from results_pages import carryover, energy, explanations, gaps, generators, nex_cv, probes

QUICK = [carryover, energy, explanations, gaps, generators, nex_cv, probes]  # whose kept data are small


def with_other_digit(text, draw):
    at = draw.choice([at for at, sign in enumerate(text) if sign.isdigit()])
    return text[:at] + str((int(text[at]) + draw.randrange(1, 10)) % 10) + text[at + 1:]


class Pages(unittest.TestCase):
    def test_another_digit_in_a_table_is_told(self):
        draw = random.Random(1)
        for module in QUICK:
            page = (ROOT / module.PAGE).read_text()
            self.assertEqual(list(checks.wrong_tables(module.PAGE, page)), [])
            for title in module.TABLES:
                mark = next(mark for mark in checks.MARK.finditer(page) if mark[2] == title)
                rows = mark[3].splitlines()
                at = draw.choice([at for at, row in enumerate(rows) if re.search(r"\d", row)])
                right, rows[at] = rows[at], with_other_digit(rows[at], draw)
                other = page[:mark.start(3)] + "\n".join(rows) + page[mark.end(3):]
                name = module.PAGE.split("/")[-1]
                self.assertEqual(list(checks.wrong_tables(module.PAGE, other)),
                                 [f"{name} says\n  {rows[at]}\nand the kept results\n  {right}"])
                self.assertEqual(checks.with_tables(module.PAGE, other), page)

    def test_rows_that_are_missing_or_too_many_are_told(self):
        page = (ROOT / gaps.PAGE).read_text()
        mark = next(checks.MARK.finditer(page))
        *rows, last = mark[3].splitlines()
        fewer = page[:mark.start(3)] + "\n".join(rows) + page[mark.end(3):]
        self.assertEqual(list(checks.wrong_tables(gaps.PAGE, fewer)), [f"gaps.md says\n  \nand the kept results\n  {last}"])
        more = page[:mark.end(3)] + "\n| one more |" + page[mark.end(3):]
        self.assertEqual(list(checks.wrong_tables(gaps.PAGE, more)), ["gaps.md says\n  | one more |\nand the kept results\n  "])

    def test_another_digit_in_a_sentence_is_told(self):
        draw = random.Random(2)
        for module in QUICK:
            for page, facts in module.FACTS.items():
                text = " ".join((ROOT / page).read_text().split())
                self.assertEqual(list(checks.wrong_facts(page, text)), [])
                for fact in facts():
                    self.assertEqual(list(checks.wrong_facts(page, f"{text} {fact}")), [f"{page} says more than once: {fact}"])
                    if re.search(r"\d", fact):
                        other = text.replace(fact, with_other_digit(fact, draw))
                        self.assertIn(f"{page} does not say: {fact}", list(checks.wrong_facts(page, other)))

    def test_a_table_without_a_place_is_an_error(self):
        for text in ("no table", "<!-- table words -->\n| a |\n<!-- end -->\n" * 2):
            with self.assertRaisesRegex(checks.PageError, "gaps.md: expected one <!-- table words --> ... <!-- end -->"):
                list(checks.wrong_tables(gaps.PAGE, text))

    def test_pages_have_the_names_of_their_files(self):
        for name in ("gaps", "gaps.md", "docs/results/gaps.md"):
            self.assertEqual(checks.page_named(name), "docs/results/gaps.md")
        self.assertEqual(checks.page_named("docs/generators.md"), "docs/generators.md")
        self.assertIsNone(checks.page_named("nothing"))


class Modules(unittest.TestCase):
    """What is written and never asked for would check nothing."""

    def test_every_page_has_its_module_in_the_list(self):
        sources = {path.stem for path in (SCRIPTS / "results_pages").glob("*.py") if re.search("^FACTS|^TABLES", path.read_text(), re.M)}
        self.assertEqual({module.__name__.removeprefix("results_pages.") for module in MODULES}, sources)

    def test_every_group_of_sentences_and_table_is_asked_for(self):
        for module in MODULES:
            source = (SCRIPTS / "results_pages" / f"{module.__name__.split('.')[-1]}.py").read_text()
            for definition in ast.parse(source).body:
                name = getattr(definition, "name", "")
                if name.startswith("facts") or name.endswith("_table"):
                    self.assertGreater(len(re.findall(rf"\b{name}\b", source)), 1, f"{module.__name__}: {name}")


class Statistics(unittest.TestCase):
    def test_the_interval_of_a_ratio_is_that_of_its_linear_part(self):
        draw = random.Random(3)
        conversations = [draw.randrange(12) for _ in range(60)]
        tops, bottoms = [draw.gauss(5, 2) for _ in range(60)], [draw.randrange(1, 20) for _ in range(60)]
        mean, half = common.interval(tops, bottoms, conversations)
        self.assertAlmostEqual(mean, sum(tops) / sum(bottoms), places=12)
        sums = [[sum(x for x, of in zip(values, conversations) if of == c) for c in set(conversations)] for values in (tops, bottoms)]
        residuals = [top - mean * bottom for top, bottom in zip(*sums)]  # of whole conversations
        error = math.sqrt((len(residuals) - 1) * variance(residuals)) / sum(bottoms)  # their mean is 0
        self.assertAlmostEqual(half, 1.96 * error, places=12)

    def test_seeds_add_to_the_interval(self):
        dialogues = {"tokens": [1, 1, 2], "conversations": [0, 1, 1]}
        with mock.patch.object(distraction, "test_dialogues", lambda: dialogues):
            self.assertEqual(distraction.over_seeds([[2, 2, 4]]), (2, 0))
            mean, half = distraction.over_seeds([[1, 1, 2], [2, 2, 4], [3, 3, 6]])
            self.assertEqual(mean, 2)
            self.assertAlmostEqual(half, 4.30 / math.sqrt(3), places=12)  # the seeds have 1, 2 and 3
            self.assertEqual(distraction.over_seeds([[1, None, 2]])[0], 1)  # (1 + 2) / (1 + 2)
            self.assertEqual(distraction.difference({1: [1, 1, 2], 2: [9, 9, 9]}, {1: [0, 0, 0], 3: [5, 5, 5]}), (1, 0))

    def test_means_of_seeds(self):
        self.assertEqual(common.with_student([1, 2, 3]), ("2.0", "[-0.5, 4.5]"))  # 4.30 / sqrt(3) = 2.48
        self.assertEqual(common.of_seeds([1, 2, 3]), "2.0 ± 1.0")
        self.assertEqual(common.spread([1, 2, 6]), "3.00 (1.00 to 6.00)")
        self.assertEqual(common.spread([1]), "1.00")

    def test_das_is_a_ratio_of_means_of_dialogues_that_have_both(self):
        run = {"test_sets": {"test": {"dialogues_as_distraction": [1, None, 3, 2], "dialogues_as_history": [4, 5, 6, None]}}}
        with mock.patch.object(distraction, "history", lambda: [1, 1, 4, 4]):
            self.assertEqual(distraction.das(run, "test"), fmean([1, 3]) / fmean([4, 6]))
            self.assertEqual(distraction.das(run, "test", lambda length: length > 1), 3 / 6)

    def test_tables(self):
        self.assertEqual(common.table(["a", "b", "c"], [["1", "2", "3"]]), "| a | b | c |\n| --- | --- | ---: |\n| 1 | 2 | 3 |")


class Command(unittest.TestCase):
    def run_with(self, *arguments):
        done = subprocess.run([sys.executable, SCRIPTS / "experiment_tables.py", *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_exit_codes(self):
        self.assertEqual(self.run_with("--check", "gaps", "gaps.md"), (0, "docs/results/gaps.md: as the kept results say\n", ""))
        code, out, error = self.run_with("--check", "gaps", "nothing")
        self.assertEqual((code, out, error.split(";")[0]), (1, "", "nothing: no page whose numbers are checked"))
        for arguments in (("--chek",), ("gaps",), ("--check", "--all")):
            code, out, error = self.run_with(*arguments)
            self.assertEqual((code, out), (1, ""))
            self.assertIn("scripts/experiment_tables.py --check [PAGE ...]", error)
