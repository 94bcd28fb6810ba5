import unittest

from heed_lab import LabError
from heed_lab.course import Task
from heed_lab.cutting import INCLUDE, apply, include_not_done, mark, put, removed

TEXT = """#include <a>
#include "b.h"

namespace n {

int f(int a,
      int b) {  // a brace in a comment: {
  if (a) {
    return '}';
  }
  return b;
}

struct S {
  static int df(int x) { return 2 * x; }
  S();
};
struct T {
  static int df(int x) { return 3 * x; }
};

S::S() {
  first("(");
  for (int i = 0; i < 3; ++i) {
    second(i,
           i);
  }
  third();
}
}  // namespace n
"""


def cut(kind, **rest):
    return {"kind": kind, "file": "f.cc", **rest}


class Cuts(unittest.TestCase):
    def apply(self, made, text=TEXT):
        return apply(text, made, "lab 9, t", "f.cc")

    def test_function(self):
        text = self.apply(cut("function", at="int f(int a,"))
        self.assertIn('      int b) {  // a brace in a comment: {\n  ::heed::lab::not_done("lab 9, t");\n}\n\nstruct S', text)
        self.assertEqual(removed(TEXT, cut("function", at="int f("), "").splitlines()[-1], "  return b;")

    def test_silent_function(self):
        text = self.apply(cut("function", at="S::S()", silent=True))
        self.assertIn('S::S() {\n  ::heed::lab::mark_not_done("lab 9, t");\n}\n}  // namespace n', text)

    def test_line_in_a_struct(self):
        text = self.apply(cut("line", **{"in": "struct T {", "at": "static int df("}))
        self.assertIn('  static int df(int x) { ::heed::lab::not_done("lab 9, t"); }\n};\n\nS::S', text)
        self.assertIn("return 2 * x", text)

    def test_statement(self):
        text = self.apply(cut("statement", **{"in": "S::S() {", "at": "for (int i"}))
        self.assertIn('  first("(");\n  ::heed::lab::not_done("lab 9, t");\n  third();', text)

    def test_several_statements(self):
        text = self.apply(cut("statement", **{"in": "S::S() {", "at": "first(", "to": "for (int i"}))
        self.assertIn('S::S() {\n  ::heed::lab::not_done("lab 9, t");\n  third();', text)

    def test_hide(self):
        self.assertNotIn("third", self.apply(cut("hide", piece=mark("  third();\n"))))

    def test_break(self):
        made = cut("break", piece=mark("second(i,"), **{"with": "second(i + 1,", "in": "S::S() {"})
        broken = self.apply(made)
        self.assertEqual(broken, TEXT.replace("second(i,", "second(i + 1,"))
        self.assertEqual(removed(TEXT, made, ""), "second(i,")
        repaired = put(broken.replace("third();", "fourth();"), made, TEXT, "f.cc")
        self.assertEqual(repaired, TEXT)

    def test_put_leaves_the_rest_of_a_struct(self):
        text = "struct S {\n  int f() {\n    return 1;\n  }\n  int g() {\n    return 2;\n  }\n};\n"
        self.assertEqual(put(text.replace("1", "3").replace("2", "4"), cut("function", **{"in": "struct S {", "at": "int f("}), text, "f.cc"), text.replace("2", "4"))

    def test_what_does_not_match_once_is_an_error(self):
        for made, count in ((cut("function", at="int g("), 0), (cut("line", at="static int df("), 2),
                            (cut("hide", piece=mark("return")), 4), (cut("break", piece=mark("return"), **{"with": "", "in": "S::S() {"}), 4),
                            (cut("hide", piece=mark("nowhere")), 0)):
            with self.assertRaisesRegex(LabError, f"f.cc: .*{count}"):
                self.apply(made)

    def test_what_has_no_body_is_an_error(self):
        for made in (cut("function", **{"in": "struct S {", "at": "S();"}), cut("line", at="third();")):
            with self.assertRaises(LabError):
                self.apply(made)

    def test_cuts_are_checked(self):
        for made in (cut("functon", at="x"), cut("function"), cut("hide", at="x"), {"kind": "line", "at": "x"},
                     cut("line", at="x", form="y")):
            with self.assertRaisesRegex(LabError, "lab.json"):
                Task({"name": "t", "cuts": [made], "checks": []}, "lab.json")

    def test_include(self):
        text = include_not_done(TEXT)
        self.assertIn('#include "b.h"\n#include "labs/support/not_done.h"\n\nnamespace', text)
        self.assertEqual(include_not_done(text), text)

    def test_the_include_stands_under_no_condition(self):
        text = include_not_done("#include <a>\n#if defined(X)\n#include <b>\n#endif\nint i;\n")
        self.assertEqual(text.splitlines()[:3], ["#include <a>", INCLUDE, "#if defined(X)"])
