"""Talks as slides, and the tool's output into a pipe that closes."""
import subprocess
import sys
import unittest
from html.parser import HTMLParser

import helpers
from heed_lab import pages

VOID = {"meta", "input"}


class Balanced(HTMLParser):
    """Counts tags and insists that each is closed in turn; nothing is loaded from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.counts, self.elsewhere = [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.elsewhere += [value for key, value in attributes if key in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> within {self.open}"
        self.open.pop()


class Talks(unittest.TestCase):
    @helpers.for_each_lab
    def test_each_section_is_a_slide(self, lab):
        text = (lab.folder / "talk.md").read_text()
        made = Balanced(pages.talk_page(text))
        self.assertEqual((made.open, made.elsewhere), ([], []))
        self.assertEqual(made.counts["section"], sum(line.startswith(("# ", "## ")) for line in text.splitlines()))

    @unittest.skipUnless(helpers.CHROMIUM, "no chromium here")
    def test_they_fit_any_screen_and_can_be_read(self):
        text = "# A title\n\nA `b < c` goes on.\n\n    " + 300 * "x" + "\n\n## Next\n\n- one\n"
        self.assertEqual(helpers.page_problems(pages.talk_page(text)), {})
        wide = helpers.page_problems(pages.page("wide", '<div style="width:700px; color:#888; background:#999">a</div>'))
        self.assertIn("wide", wide["light, 320"])
        self.assertEqual({found[:8] for screen, found in wide.items() if screen.endswith("1280")}, {"contrast"})

    def test_blocks(self):
        got = pages.blocks("A `b < c`\ngoes on.\n\n- one\n  more\n- two\n\n    x = 1\n    y\n\nEnd")
        self.assertEqual(got, "<p>A <code>b &lt; c</code> goes on.</p>\n<ul><li>one more</li>\n<li>two</li></ul>\n"
                              "<pre>x = 1\ny</pre>\n<p>End</p>")

    def test_arrow_keys(self):
        text = pages.talk_page("# T\n## S\n")
        for key in ("ArrowRight", "ArrowLeft", "PageDown", "Home"):
            self.assertIn(f"'{key}'", text)


class Pipes(unittest.TestCase):
    def test_who_reads_one_line_sees_no_traceback(self):
        """The reader is gone before the tool writes."""
        code = f"import sys; sys.path.insert(0, {str(helpers.ROOT / 'labs')!r}); sys.stdin.read()\n" \
               f"from pathlib import Path; from heed_lab.commands import main; sys.exit(main(Path({str(helpers.ROOT)!r}), ['list']))"
        tool = subprocess.Popen([sys.executable, "-B", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        tool.stdout.close()
        tool.stdin.close()
        self.assertEqual(tool.stderr.read(), "")
        tool.stderr.close()
        self.assertEqual(tool.wait(), 1)
