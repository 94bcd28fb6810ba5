"""`show`: what the terminal says of a lab's pictures, and lab.html, one page of HTML that needs no network."""
import html

from . import LabError, graph, pages, pictures
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


def page(lab, parts, how):
    """parts: {HTML: script}; how: what was typed."""
    title = f"Lab {lab.number}: {lab.title}"
    footer = f"<footer>labs/heed-lab show {lab.number} {html.escape(how)}, with the code of this tree.</footer>"
    return pages.page(title, f"<h1>{html.escape(title)}</h1>\n{''.join(parts)}{footer}", "".join(parts.values()))
