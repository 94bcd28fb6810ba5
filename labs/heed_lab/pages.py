"""Pages of HTML, each one file that needs no network, and what they are made of: what a student gets back, and the slides of a talk."""
import re
from html import escape
from pathlib import Path
from string import Template

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def read(name):
    return (HERE / name).read_text(encoding="utf-8")


def filled(name, **words):
    """A template that lies here, with these texts of HTML."""
    return Template(read(name)).substitute(words)


def page(title, body, script=""):
    """One file that loads nothing, with the style sheet and the script of all of heed's pages."""
    return filled("page.html", title=escape(title), style=read(ROOT / "dialog/text/page.css"), body=body,
                  script=read(ROOT / "experiments/engine/report/page.js") + script)


def scroll(label, body):
    """A box that scrolls sideways, by keys too."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">{body}</div>\n'


def table(heads, rows, kind=""):
    """A row is (its attributes, its cells), all of it HTML."""
    head = "".join(f'<th scope="col">{head}</th>' if head else "<td></td>" for head in heads)
    body = "\n".join(f"<tr{attributes}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for attributes, cells in rows)
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'


def result_page(result):
    """Points, notes, and each failure as the terminal shows it."""
    lab = result.lab
    rows = [("", ["+" if r["score"] else "-", escape(r["name"]), f"{r['score']} of {r['max_score']}"]) for r in result.rows]
    parts = [f"<h1>Lab {lab.number}: {escape(lab.title)}</h1>\n<p>{escape(result.student)}: <b>{result.score} points</b>; by hand: {escape(lab.said_by_hand)}</p>",
             scroll("Points", table(("", "check", "points"), rows)), "<ul>", *(f"<li>{escape(note)}</li>" for note in result.notes), "</ul>",
             *(f"<h3>{escape(r['name'])}</h3>\n<pre>{escape(result.shown(r))}</pre>" for r in result.rows if not r["score"])]
    if result.answers:
        places = ", ".join(f"{escape(name)} ___ of {most}" for name, most in lab.by_hand.items())
        parts.append(f"<h2>By hand: {places}</h2>\n<pre>{escape(result.answers)}</pre>")
    return page(f"Lab {lab.number}, {result.student}", "\n".join(parts))


def blocks(text):
    """HTML of the Markdown that talk.md has: paragraphs, lists, code that is indented by four, and code between backquotes."""
    found = []
    for block in re.split(r"\n(?:[ ]*\n)+", escape(text)):
        if block.startswith("    "):
            found.append("<pre>" + re.sub("^    ", "", block, flags=re.M) + "</pre>")
        else:
            words, *items = (" ".join(part.split()) for part in re.split("^- ", block, flags=re.M))
            found += [f"<p>{words}</p>"] * bool(words) + ["<ul>" + "\n".join(f"<li>{item}</li>" for item in items) + "</ul>"] * bool(items)
    return re.sub("`([^`]*)`", r"<code>\1</code>", "\n".join(found)).replace("</pre>\n<pre>", "\n")


def talk_page(text):
    """The slides of a talk.md: its title, and each of its sections."""
    parts = re.split(r"^(#{1,2}) (.*)$", text, flags=re.M)[1:]
    slides = [f'<section class="slide"><h{len(mark)}>{escape(title)}</h{len(mark)}>\n{blocks(body.strip())}</section>'
              for mark, title, body in zip(parts[0::3], parts[1::3], parts[2::3])]
    return page(parts[1], "\n".join(slides), read("slides.js"))
