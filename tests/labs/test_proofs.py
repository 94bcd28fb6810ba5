"""Blanks fail politely, the reference gets full points, and no lab needs what a later one takes out, a twin, or an earlier one that it does not name."""
import json
import os
import re
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

import helpers
from heed_lab import handout
from heed_lab.cutting import apply, include_not_done, removed
from heed_lab.running import BLANK, FAILED, PASSED, run_check


def statuses(program, lab, checks=None):
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda check: run_check(program, check, helpers.SEED), checks or lab.checks))
    return {v.check.name: v.status if v.status in (BLANK, PASSED) else f"{v.status}: {v.message}" for v in verdicts}


def sizes_drawn(program, names, seed):
    """{check: the first sizes and numbers that it drew}, as the program reports it."""
    read, write = os.pipe()
    with open(read, "rb") as reports:
        subprocess.run([program, f"--seed={seed}", "--gtest_filter=" + ":".join(f"Lab.{name}" for name in names), "--gtest_brief=1"],
                       input=b"word\n", stdout=subprocess.DEVNULL, pass_fds=[write],
                       env={**os.environ, "HEED_LAB_REPORT": str(write)}, check=True)
        os.close(write)
        rows = map(json.loads, reports.read().splitlines())
        return {row["check"]: row["drew"] for row in rows if "drew" in row}


def all_of(lab, status):
    return {check.name: status for check in lab.checks}


def emptied(text, cut, reference):
    """The text with nothing in the place of a cut, or `return {};` where a value is due."""
    if cut["kind"] in ("hide", "break"):
        return apply(text, cut, "", cut["file"])
    value = "void" not in cut.get("in", cut["at"]) + cut["at"] and re.search(r"\breturn [^;]", removed(reference, cut, cut["file"]))
    return re.sub(r'::heed::lab::(mark_)?not_done\("empty"\);', "return {};" if value else "", apply(text, cut, "empty", cut["file"]))


PLANS = ("0-10", "0,2-5,7", "0,2,9", "0,9", "1,10", "3", "5", "6")  # of docs/teaching.md, and some alone


class Proofs(unittest.TestCase):
    @helpers.for_each_lab
    def test_reference(self, lab):
        """A variation is the student's alone: the library has none (test_variations.py)."""
        self.assertEqual(statuses(helpers.BUILD / "labs" / lab.target, lab), all_of(lab, PASSED))

    @helpers.for_each_lab
    def test_reference_with_any_seed(self, lab):
        """A check that is red for a correct program now and then would cost a student points."""
        checks = ":".join(f"Lab.{check.name}" for check in lab.checks)
        words = [helpers.BUILD / "labs" / lab.target, f"--gtest_filter={checks}", "--gtest_brief=1"]
        for seed in range(1, 21):
            done = subprocess.run([*words, f"--seed={seed}"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, f"seed {seed}: {done.stdout[-1000:]}")

    @helpers.for_each_lab
    def test_sizes_follow_from_the_seed(self, lab):
        """Points of `laws` are for seeds and shapes that a student has not seen."""
        names = [check.name for check in lab.checks if "laws" in check.points]
        drawn = [sizes_drawn(helpers.BUILD / "labs" / lab.target, names, seed) for seed in range(8)]
        self.assertEqual([name for name in names if len({str(sizes[name]) for sizes in drawn}) < 2], [])

    @helpers.for_each_lab
    def test_blank(self, lab):
        program = helpers.program(lab, lab.cut(helpers.course().texts(lab)), "blank")
        found = statuses(program, lab, lab.judged)
        for check in lab.judged:
            broken = any(cut["kind"] == "break" for cut in check.task.cuts)
            self.assertEqual(found[check.name].partition(":")[0], FAILED if broken else BLANK, found[check.name])

    @helpers.for_each_lab
    def test_nothing_gets_no_points(self, lab):
        """Bodies that return at once pass no check: laws and limits are of code that works."""
        texts = reference = helpers.course().texts(lab)
        for cut in (cut for task in lab.tasks for cut in task.cuts if not cut.get("twin")):
            texts = texts | {cut["file"]: emptied(texts[cut["file"]], cut, reference[cut["file"]])}
        found = statuses(helpers.program(lab, texts, "empty"), lab)
        self.assertEqual([name for name, status in found.items() if status == PASSED], [])

    @helpers.for_each_lab
    def test_later_labs_and_all_twins_cut(self, lab):
        labs = helpers.course().labs.values()
        later = [other for other in labs if other.number > lab.number]
        # A lab's own kernels stand in for those of the library that a later one takes out.
        brought = [unit for other in labs if other not in later for unit in other.units if unit.startswith("labs/")]
        self.passes_without(lab, later, "later", brought if later else lab.units, [other for other in labs if other not in later])

    @helpers.for_each_lab
    def test_earlier_labs_cut(self, lab):
        """Who has not written an earlier lab can do this one, unless lab.json says that it is needed."""
        earlier = [other for other in helpers.course().labs.values() if other.number < lab.number and other.number not in lab.needs]
        self.passes_without(lab, earlier, "earlier", [unit for other in earlier for unit in other.units if unit.startswith("labs/01-")])

    def passes_without(self, lab, others, name, units, twins_of=()):
        """The reference of a lab passes where others are cut, and the twins of some, compiled with these units and theirs."""
        if not others and not twins_of:
            return
        course = helpers.course()
        texts = {file: text for other in (*others, *twins_of) for file, text in course.texts(other).items()}
        for other in others:
            texts.update(other.cut({file: texts[file] for file in other.files}))
        for cut in (cut for other in twins_of for cut in other.twins):
            texts[cut["file"]] = include_not_done(apply(texts[cut["file"]], cut, "a twin", cut["file"]))
        theirs = [cut["file"] for other in (*others, *twins_of) for cut in other.twins if cut["file"].endswith(".cc")]
        # Nor can a lab that does not link the models call what is cut in them; probes are linked by none.
        models = any("heed_lab_dialog" in word for word in helpers.build().link_command(lab.target))
        absent = ("labs/", "dialog/probe/", "dialog/stats/") if models else ("labs/", "dialog/", "train/")
        theirs += [unit for other in others for unit in other.units]
        units = units + [unit for unit in theirs if not unit.startswith(absent)]
        self.assertEqual(statuses(helpers.program(lab, texts, name, units), lab), all_of(lab, PASSED))


class Plans(unittest.TestCase):
    def test_leaks_of_each_plan_are_the_accepted_ones(self):
        course = helpers.course()
        accepted, found = handout.accepted_leaks(helpers.ROOT), set()
        for plan in PLANS:
            labs = [course.lab(number) for number in handout.numbers(plan)]
            made = handout.Handout(course, labs)
            leaks = made.leaks() + made.twins()
            found |= {leak[:3] for leak in leaks}
            self.assertEqual([leak for leak in leaks if leak[:3] not in accepted], [], plan)
            self.assertEqual(made.hidden_lines(), [], plan)
        self.assertEqual(accepted - found, set())
