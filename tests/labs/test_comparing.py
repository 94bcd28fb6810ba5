"""What submissions share, and questions about a student's own lines."""
import shutil
import tempfile
import unittest
from pathlib import Path

import helpers
from heed_lab import LabError, submissions
from heed_lab.cutting import span

MINE = """  std::vector<std::shared_ptr<Node>> mine;
  std::set<Node*> been;
  std::priority_queue<std::pair<uint64_t, std::shared_ptr<Node>>> waiting;
  if (root) waiting.push({root->number, root});
  while (!waiting.empty()) {
    const std::shared_ptr<Node> next = waiting.top().second;
    waiting.pop();
    if (!been.insert(next.get()).second) continue;
    mine.push_back(next);
    for (size_t i = 0; i < next->inputs.size(); ++i) {
      if (next->inputs[i].node) waiting.push({next->inputs[i].node->number, next->inputs[i].node});
    }
  }
  return mine;"""
OTHER = """  std::vector<std::shared_ptr<Node>> all = {root};
  std::unordered_map<Node*, int> colour;
  size_t at = 0;
  for (; at != all.size(); at += 1) {
    std::for_each(all[at]->inputs.begin(), all[at]->inputs.end(), [&](const Edge& e) {
      if (e.node == nullptr || colour[e.node.get()]++ > 0) return;
      all.emplace_back(e.node);
    });
  }
  std::stable_sort(all.rbegin(), all.rend(), [](auto& a, auto& b) { return a->number < b->number; });
  return all;"""
FILE, AT = "autograd/node.cc", "std::vector<std::shared_ptr<Node>> reachable("


class Comparing(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.course = helpers.course()
        self.lab = self.course.lab(2)
        self.blank = submissions.blanks(self.course, self.lab)

    def submit(self, name, body, year="2026"):
        text = self.blank[FILE]
        begin, end = span(text, {"kind": "function", "at": AT}, FILE)
        path = self.folder / year / name / FILE
        path.parent.mkdir(parents=True)
        path.write_text(text[:begin] + body + text[end:])
        return self.folder / year / name

    def pairs(self, *years, least=0.5):
        rows = submissions.similar(self.course, self.lab, [self.folder / year for year in years], least)
        return [(*(name.removeprefix(f"{self.folder}/") for name in (one, other)), file) for _, one, other, file, _ in rows]

    def test_a_copy_with_other_names_and_comments_is_found_across_years(self):
        renamed = MINE.replace("mine", "result").replace("waiting", "heap").replace("been", "seen_nodes").replace("  mine.push", "  // keep\n  mine.push")
        self.submit("ann", MINE)
        self.submit("bob", OTHER)
        self.submit("eve", renamed.replace(";", " ;"), "2025")
        self.assertEqual(self.pairs("2026", "2025"), [("2026/ann", "2025/eve", FILE)])
        self.assertEqual(self.pairs("2026"), [])

    def test_one_name_in_two_folders_of_one_name(self):
        for year in ("2026/lab-2", "2025/lab-2"):
            self.submit("ann", MINE, year)
        self.assertEqual(self.pairs("2026/lab-2", "2025/lab-2"), [("2026/lab-2/ann", "2025/lab-2/ann", FILE)])

    def test_the_library_is_compared_with(self):
        text = self.course.texts(self.lab)[FILE]
        path = self.submit("max", MINE)
        (path / FILE).write_text(text.replace("found", "answer"))
        self.assertEqual(self.pairs("2026"), [(submissions.LIBRARY, "2026/max", FILE)])

    def test_a_part_that_was_copied_is_found(self):
        self.submit("ann", MINE)
        self.submit("eve", "\n".join(MINE.split("\n")[:8] + OTHER.split("\n")[6:]))
        self.assertEqual(self.pairs("2026", least=0.4), [("2026/ann", "2026/eve", FILE)])

    def test_what_most_have_counts_for_nobody(self):
        for i in range(8):
            self.submit(f"s{i}", MINE)
        self.assertEqual(self.pairs("2026"), [])

    def test_blanks_share_nothing(self):
        for name in ("ann", "bob"):
            self.submit(name, '  ::heed::lab::not_done("lab 2, reachable");')
        self.assertEqual(self.pairs("2026", least=0), [])

    def test_names_and_numbers_count_the_same_and_what_is_known_does_not(self):
        text = " ".join(f"a{i} =" for i in range(submissions.RUN))
        self.assertEqual(submissions.runs(text, {"="}), submissions.runs(text.replace("a", "b"), {"="}))
        self.assertNotEqual(submissions.runs(text, {"=", "a3"}), submissions.runs(text, {"="}))
        self.assertEqual(submissions.runs("x = 1;", set()), set())

    def test_questions_are_about_own_lines(self):
        rows = submissions.questions(self.course, self.lab, self.submit("ann", MINE))
        self.assertEqual(len({question for *_, question in rows}), 3)
        text = (self.folder / "2026/ann" / FILE).read_text().splitlines()
        for file, number, line, _ in rows:
            self.assertEqual((file, text[number - 1].strip()), (FILE, line))
            self.assertIn(line, MINE)
        self.assertEqual(rows, submissions.questions(self.course, self.lab, self.folder / "2026/ann"))
        self.assertNotEqual(rows, submissions.questions(self.course, self.lab, self.submit("bob", OTHER)))

    def test_nothing_of_ones_own_is_no_question(self):
        self.assertEqual(submissions.questions(self.course, self.lab, self.submit("ann", '  ::heed::lab::not_done("lab 2, reachable");')), [])

    def test_folders_are_asked_for(self):
        with self.assertRaisesRegex(LabError, "a folder of submissions"):
            self.pairs("2020")
