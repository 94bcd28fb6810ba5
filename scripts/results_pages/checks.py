"""Compares pages with what the modules make of the kept results, and writes their tables."""
import re
from itertools import zip_longest
from pathlib import Path

from . import MODULES
from .common import RESULTS, ROOT

MARK = re.compile(r"(<!-- table (.+?) -->\n)(.*?)(\n<!-- end -->)", re.S)


class PageError(Exception):
    """A page lacks the place of a table."""


def tables(page):
    """Title -> function."""
    return next((module.TABLES for module in MODULES if getattr(module, "PAGE", None) == page), {})


def figures(pages):
    """File -> function."""
    drawing = [module for module in MODULES if hasattr(module, "FIGURES") and module.PAGE in pages]
    return {file: draw for module in drawing for file, draw in module.FIGURES.items()}


def all_pages():
    """Those about which the modules know anything."""
    return sorted({page for module in MODULES for pages in (module.FACTS, getattr(module, "CHECKS", {})) for page in pages} |
                  {module.PAGE for module in MODULES if module.TABLES})


def page_named(name):
    """The page of this name, which is its path, or what it is called in docs/results."""
    known = all_pages()
    return next((page for page in (name, f"docs/results/{name}", f"docs/results/{name}.md") if page in known), None)


def made_tables(page, text):
    """(what stands there, what the kept results say), of each table; in the page's order."""
    makers = tables(page)
    marks = list(MARK.finditer(text))
    for title in makers:
        if sum(mark[2] == title for mark in marks) != 1:
            raise PageError(f"{Path(page).name}: expected one <!-- table {title} --> ... <!-- end -->")
    return [(mark, makers[mark[2]]()) for mark in marks if mark[2] in makers]


def with_tables(page, text):
    """The page's text with the tables of the kept results."""
    made = iter([table for _, table in made_tables(page, text)])
    return MARK.sub(lambda mark: mark[1] + next(made) + mark[4] if mark[2] in tables(page) else mark[0], text)


def wrong_tables(page, text):
    for mark, table in made_tables(page, text):
        for was, now in zip_longest(mark[3].splitlines(), table.splitlines(), fillvalue=""):
            if was != now:
                yield f"{Path(page).name} says\n  {was}\nand the kept results\n  {now}"


def wrong_facts(page, text):
    text = " ".join(text.split())
    for module in MODULES:
        for fact in module.FACTS.get(page, list)():
            if fact not in text:
                yield f"{page} does not say: {fact}"
            elif text.count(fact) > 1:  # one of them could have another number
                yield f"{page} says more than once: {fact}"


def other_wrongs(page):
    for module in MODULES:
        if page in getattr(module, "CHECKS", {}):
            yield from module.CHECKS[page]()


def wrong_figures(pages):
    for file, draw in figures(pages).items():
        if (ROOT / file).read_text() != draw():
            yield f"{file} shows something else than the kept results"


def wrong_page_of_results(path):
    """What every page of docs/results must have, tables or not."""
    text = path.read_text()
    if not re.search(r"\bkept\b|\]\([\w-]+\.json\)", text):  # or links them
        yield f"{path.name} does not say whether its raw data are kept"
    for title in re.findall("<!-- table (.+?) -->", text):
        if title not in tables(f"docs/results/{path.name}"):
            yield f"{path.name} has <!-- table {title} -->, which nothing makes"


def write(pages):
    """Their tables and pictures."""
    for page in pages:
        path = ROOT / page
        path.write_text(with_tables(page, path.read_text()))
    for file, draw in figures(pages).items():
        (ROOT / file).write_text(draw())


def wrong(pages, with_their_tables=True):
    """All that is wrong on these pages, a message each."""
    texts = {page: (ROOT / page).read_text() for page in pages}
    if with_their_tables:
        for page, text in texts.items():
            yield from wrong_tables(page, text)
        yield from wrong_figures(pages)
    for page, text in texts.items():
        yield from wrong_facts(page, text)
    for page in pages:
        yield from other_wrongs(page)


def wrong_pages_of_results(pages=None):
    """All of docs/results, or these."""
    for path in sorted(RESULTS.glob("*.md")):
        if pages is None or f"docs/results/{path.name}" in pages:
            yield from wrong_page_of_results(path)
