"""The pages of results, made again from what is kept: a second opinion on their numbers that calls nothing of heed.

A module is a page, or a few that share what is kept. It has
    PAGE     the page, if it has one only
    TABLES   title -> function: the tables of PAGE, which stand there between <!-- table TITLE --> and <!-- end -->
    FACTS    page -> function: texts with numbers that the page must hold once, whatever its line breaks
and, where there are any,
    FIGURES  file -> function: pictures of PAGE
    CHECKS   page -> function: what else is wrong, a message each
Kept files are read when a function asks for them. common.py, distraction.py and mediation_runs.py have what modules share;
checks.py compares. ../experiment_tables.py is the command.
"""
import sys

from .common import ROOT

sys.path.append(str(ROOT / "bench"))  # the scripts that measured speed make their tables, and svg.py draws

from . import (adversarial, adversarial_chat, carryover, comprehend, energy, experiment, explanations, gaps, generators,  # noqa: E402
               history, mediation, nex_cv, other_models, probes, probes_trained, retrieval, scale, speed, turns)

MODULES = [adversarial, adversarial_chat, carryover, comprehend, energy, experiment, explanations, gaps, generators, history,
           mediation, nex_cv, other_models, probes, probes_trained, retrieval, scale, speed, turns]
