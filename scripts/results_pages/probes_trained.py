"""docs/results/probes-trained.md: probes of the paper's five models that were trained beyond their warm-up."""
import functools
from statistics import fmean

from . import probes
from .common import RESULTS, interval, read_lines, table

PAGE = "docs/results/probes-trained.md"
KEPT = RESULTS / "probes-trained"
MODELS = ["lstm", "lstm-attention", "hred", "bilstm-attention", "transformer"]
RNNS = MODELS[:4]
BASELINES = ["bag-of-words", "length"]
TASKS = ["UtteranceLoc", "RecentTopic", "RecentSlots", "RecentValues", "NumRecentInfo", "RepeatInfo", "NumRepeatInfo", "AllSlots", "AllValues",
         "NumAllInfo", "AllTopics", "NumAllTopics", "IsMultiTask", "ActionSelect", "EntitySlots", "EntityValues", "WordCont", "ResponseLength"]
MULTIWOZ = TASKS[:16]
METRICS = ["BLEU-2", "ROUGE-L", "METEOR", "\"BERT\""]  # those of probes.CHOICES
probed = functools.partial(probes.probed, kept=KEPT)


def f1(model, checkpoint, reading, task):
    """F1 over all examples, in percent."""
    return 100 * probed(model)["checkpoints"][checkpoint][reading][task]["f1"]


def at_best(model, reading, task):
    """F1 at the best epoch, 2 hits / (2 hits + errors), and half of its 95 % interval over dialogues."""
    kept = probed(model)
    of = kept["checkpoints"]["best"][reading][task]
    mean, half = interval(of["hits"], of["counted"], kept["dialogues"])
    return f"{100 * mean:.1f} ± {100 * half:.1f}"


@functools.cache
def valid(model):
    """The perplexity of the validation part after each epoch."""
    return [line["valid_perplexity"] for line in read_lines(KEPT / f"{model}-seed1/log.jsonl")]


def training_table():
    rows = []
    for model in MODELS:
        kept = probed(model)
        rows.append([f"`{model}`", *(f"{valid(model)[epoch - 1]:.1f}" for epoch in (1, 6, 12, 18)), str(kept["best_epoch"]),
                     f"{100 * kept['responses']['bleu2']:.1f}", f"{100 * probed(model, 'taught')['bleu2']:.1f}"])
    return table(["model", "epoch 1", "6", "12", "18", "best epoch", "BLEU-2", "BLEU-2, taught"], rows, texts=1)


def f1_table(reading):
    """F1 of untrained and of trained encoders, beside what needs no encoder."""
    kept = probed(MODELS[0])
    rows = []
    for task in TASKS:
        models = [text for model in MODELS for text in (f"{f1(model, 'untrained', reading, task):.1f}", at_best(model, reading, task))]
        others = [kept["constant"][task], *(kept["baselines"][name][reading][task] for name in BASELINES)]
        rows.append([f"`{task}`", *models, *(f"{100 * x:.1f}" for x in others)])
    heads = [f"{model}, {checkpoint}" for model in MODELS for checkpoint in ("untrained", "best")]
    return table(["task", *heads, "constant", *BASELINES], rows, texts=1)


def selectivity_table():
    rows = [[f"`{task}`"] + [f"{100 * probed(model)['selectivity'][task]:+.1f}" for model in MODELS] for task in TASKS]
    return table(["task", *(f"`{model}`" for model in MODELS)], rows, texts=1)


def chosen(model):
    """The epoch that each metric chooses."""
    return [probed(model, file)[name] for name, file in probes.CHOICES.items()]


def mean_of(scores):
    """The mean F1 of MultiWOZ's tasks."""
    return 100 * fmean(scores[task]["f1"] for task in MULTIWOZ)


def chosen_table():
    """The epoch that each metric chooses, and the mean F1 there."""
    rows = []
    for model in MODELS:
        of = [probed(model)["checkpoints"]["best"], *chosen(model)]
        rows.append([f"`{model}`"] + [f"{at['epoch']}: {mean_of(at['standardised']):.1f}" for at in of])
    return table(["model", "perplexity", *METRICS], rows, texts=1)


def bag(task, reading):
    return 100 * probed(MODELS[0])["baselines"]["bag-of-words"][reading][task]


def same_sign(models, reading="raw"):
    """How many changes of F1 by training, of each task and model, have the same sign by an MLP as by logistic regression; and how many there are."""
    changes = [[f1(model, "last", of, task) - f1(model, "untrained", of, task) for of in (reading, "mlp")] for model in models for task in TASKS]
    return sum((a > 0) == (b > 0) for a, b in changes), len(changes)


def unconverged(reading):
    """Of how many tasks of how many models the probe of the best epoch had not converged."""
    of = [probed(model)["checkpoints"]["best"][reading][task]["unconverged"] > 0 for model in MODELS for task in TASKS]
    return sum(of), len(of)


TABLES = {"training": training_table, "standardised": functools.partial(f1_table, "standardised"),
          "mlp": functools.partial(f1_table, "mlp"), "selectivity": selectivity_table, "chosen": chosen_table}


def means(reading, checkpoint):
    """The mean F1 of the 16 tasks, of each model."""
    return {model: mean_of(probed(model)["checkpoints"][checkpoint][reading]) for model in MODELS}


def facts():
    best, untrained, mlp, raw = means("standardised", "best"), means("standardised", "untrained"), means("mlp", "best"), means("raw", "best")
    lstm = max(RNNS, key=best.get)
    bags = {reading: fmean(bag(task, reading) for task in MULTIWOZ) for reading in ("standardised", "mlp")}
    at = lambda model, task, reading="standardised", checkpoint="best": f"{f1(model, checkpoint, reading, task):.1f}"
    fell = {model: valid(model)[-1] / valid(model)[-2] for model in MODELS}
    first = [task for task in MULTIWOZ if f1("transformer", "best", "standardised", task) > max(f1(model, "best", "standardised", task) for model in RNNS)]
    above = [task for task in MULTIWOZ if f1("transformer", "best", "standardised", task) > bag(task, "standardised")]
    same, changes = same_sign([model for model in MODELS if model != "hred"])
    easy = ("RepeatInfo", "NumRepeatInfo", "NumAllTopics", "IsMultiTask")
    selective = [probed(model)["selectivity"][task] for model in MODELS for task in easy]
    chosen_epochs = {model: {of["epoch"] for of in chosen(model)} for model in MODELS}
    topics = {model: f1(model, "best", "standardised", "AllTopics") for model in RNNS}
    unread = [task for task in TASKS if f1("hred", "untrained", "mlp", task) == 0]
    hred_as_raw, of = same_sign(["hred"])
    hred_as_standardised, _ = same_sign(["hred"], "standardised")
    return [
        f"mean F1 of 16 tasks {best['transformer']:.1f}, against {best[lstm]:.1f} of the best LSTM model and {bags['standardised']:.1f} of a bag of words",
        f"By an MLP it has {mlp['transformer']:.1f}, the best LSTM model {max(mlp[model] for model in RNNS):.1f}, the bag {bags['mlp']:.1f}",
        f"It is above all four LSTM models on {len(first)} of the 16 tasks and above the bag on {len(above)}",
        f"(`AllTopics` {min(topics.values()):.1f} to {max(topics.values()):.1f}, the bag {bag('AllTopics', 'standardised'):.1f})",
        f"from {untrained['hred']:.1f} to {best['hred']:.1f}",
        f"`RecentTopic` {at('hred', 'RecentTopic', checkpoint='untrained')} to {at('hred', 'RecentTopic')}",
        f"in {same} of {changes} changes of F1 by training",
        f"({hred_as_raw} of {of} have the sign of the raw vectors, {hred_as_standardised} that of the standardised ones)",
        f"by {100 * (1 - max(fell.values())):.1f} to {100 * (1 - min(fell.values())):.1f} % in it",
        f"`ActionSelect` {at('transformer', 'ActionSelect', checkpoint='untrained')} to {at('transformer', 'ActionSelect')}",
        f"`RecentSlots` {at('transformer', 'RecentSlots', checkpoint='untrained')} to {at('transformer', 'RecentSlots')}",
        f"differ by at most {max(abs(mlp[model] - raw[model]) for model in MODELS):.1f} points",
        f"F1 of 0 on {'ten' if len(unread) == 10 else len(unread)} of the 18 tasks",
        f"standardised, has up to {max(f1('hred', 'untrained', 'standardised', task) for task in unread):.1f}",
        f"its `NumRecentInfo` has {at('transformer', 'NumRecentInfo', 'mlp')} and a selectivity of "
        f"{100 * probed('transformer')['selectivity']['NumRecentInfo']:.1f}",
        f"{unconverged('mlp')[0]} of {unconverged('mlp')[1]} had not converged",
        f"between {100 * min(selective):.1f} and {100 * max(selective):+.1f}",
        f"for {'each' if all(len(epochs) == 1 for epochs in chosen_epochs.values()) else 'some'} of the five models; in "
        f"{sum(epochs == {18} for epochs in chosen_epochs.values())} it is the last one",
    ]


FACTS = {PAGE: facts}
