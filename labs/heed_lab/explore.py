"""`show`: what the terminal says of a lab's pictures, and lab.html, one page of HTML that needs no network."""
import html
import re

from . import LabError, graph, pictures
from .figures import numbers_of

OF_A_PAGE = {"graph": "nodes", "memory": "nodes", "access": "kernels"}  # what the numbers of a lab's page have
WHAT = (*OF_A_PAGE, "tensor", "roofline")


def part(bench, what, seed, check=None):
    """(what the terminal says, HTML, script) of one picture."""
    if what in OF_A_PAGE and not (bench.lab.folder / "show.cc").exists():
        raise LabError(f"lab {bench.lab.number} has no {what}")
    program = bench.program()
    if what == "tensor":
        return *pictures.tensors(bench.lab, program, seed, check), ""
    if what == "roofline":
        return *pictures.roofline(bench, program, seed), ""
    numbers = numbers_of(program, "--show", seed)
    if OF_A_PAGE[what] not in numbers:
        raise LabError(f"lab {bench.lab.number} has no {what}")
    if what == "access":
        return *pictures.accesses(numbers), ""
    return graph.graph_text(numbers) if what == "graph" else graph.memory_text(numbers), *graph.part(numbers)


def base_style(root):
    """That of all of heed's pages."""
    return re.search(r'R"css\((.*?)\)css"', (root / "dialog/text/html_page.h").read_text(encoding="utf-8"), re.S)[1]


def page(root, lab, parts, how):
    """parts: {HTML: script}; how: what was typed."""
    title = html.escape(f"Lab {lab.number}: {lab.title}")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{base_style(root)}{graph.STYLE}{pictures.STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{"".join(parts)}<footer>labs/heed-lab show {lab.number} {html.escape(how)}, with the code of this tree.</footer>
</main>
<script>{"".join(parts.values())}</script>
</body></html>
"""
