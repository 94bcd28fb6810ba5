#!/usr/bin/env python3
"""Training steps of the generators that take turns with PyTorch: HRED with attention, hredGAN, THRED, keywords, two vocabularies.

    bench/compare_generators.py HEED [--rounds 3] [--hidden 128] [--dialogues 640] [--only thred,keywords] [--json FILE]

Dialogues of random words (Zipf) have the real lengths of bench/lengths.jsonl.gz. heed trains on them (`heed train`, one
thread, f32, no dropout, Adam); PyTorch has the modules of heed.torch, whose parameters and tables are those of heed's run, and
reads batches of similar length with padding and packed sequences, as a careful user would. Before anything is timed, its loss
of a batch is compared with that of heed.torch dialogue by dialogue. Times are of the processor, so that other programs
disturb them less: of heed, what two more epochs take; of PyTorch, an epoch after the first. Prints a table of medians.
"""
import argparse
import gzip
import itertools
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import heed  # noqa: E402
import heed.torch  # noqa: E402
from heed.torch.keywords import KEYWORDS  # noqa: E402
from heed.torch.parts import EOS, EOU, PAD, SOS  # noqa: E402

SYSTEMS = {  # the command, its options, the utterances of context that are read (0: all)
    "hred-attention": (["train", "--structure", "hred-attention", "--noise", "utterance"], 0),
    "hredgan": (["train", "hredgan", "--structure", "hred-attention", "--noise", "utterance"], 0),
    "thred": (["train", "--structure", "thred"], 0),
    "keywords": (["train", "--structure", "keywords", "--min-turns", "2"], 1),
    "two-vocabulary": (["train", "--structure", "two-vocabulary", "--lexicon", "lexicon.txt"], 0),
}
EMOTIONS, TOPICS = ["anger", "happiness", "no_emotion"], ["health", "work"]
NO_WORDS = [PAD, SOS, EOS, EOU]


# ---- the data

def words(count):
    """So many names of three or four letters."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(w) for w in itertools.islice(itertools.product(letters, repeat=3), count)]


def write_data(where, dialogues, rng):
    """train.jsonl, a valid.jsonl of 20 of them, and a lexicon of 200 frequent words."""
    known = words(6000)
    weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(len(known))))
    lines = []
    with gzip.open(ROOT / "bench/lengths.jsonl.gz", "rt") as file:
        for line in itertools.islice(file, dialogues):
            lengths = json.loads(line)
            turns = [{"speaker": "AB"[k % 2], "text": " ".join(rng.choices(known, cum_weights=weights, k=max(n, 1)))}
                     for k, n in enumerate([*lengths["context"], lengths["response"]])]
            turns[-1]["labels"] = {"emotion": [rng.choice(EMOTIONS)], "topic": [rng.choice(TOPICS)]}
            lines.append(json.dumps({"turns": turns}) + "\n")
    (where / "train.jsonl").write_text("".join(lines))
    (where / "valid.jsonl").write_text("".join(lines[:20]))
    (where / "lexicon.txt").write_text("".join(f"{word}\t{2 - 4 * (i % 2)}\n" for i, word in enumerate(known[::20][:200])))


def examples_of(where, model, turns):
    result = []
    labels = [text.partition("=")[2].split("|") for text in (model.config.sentiment, model.config.domain)]
    names = [{"anger": "negative", "happiness": "positive", "no_emotion": "neutral"}, {}]
    for d in heed.read_dialogues(where / "train.jsonl"):
        *context, response = heed.torch.numbers(model.vocabulary, (t["text"].split() for t in d["turns"]))
        said = [d["turns"][-1]["labels"][name][0] for name in ("emotion", "topic")]
        example = {"context": context[-turns:], "response": response, "distraction": [False] * len(context[-turns:])}
        if model.config.structure == "two-vocabulary":
            example["conditions"] = [[values.index(of.get(s, s))] for values, of, s in zip(labels, names, said)]
        result.append(example)
    return result


class Batch:
    """B dialogues with U utterances of W words at most, Q of a dialogue, responses of N; what is behind the last one is padding."""

    def __init__(self, examples):
        tensors = lambda lists: pad_sequence([torch.tensor(one) for one in lists])  # (longest, count)
        utterances = [[*u, EOU] for e in examples for u in e["context"]]
        self.examples = examples
        self.words, self.lengths = tensors(utterances), torch.tensor([len(u) for u in utterances])
        self.q = torch.tensor([len(e["context"]) for e in examples])
        first = torch.cumsum(self.q, 0) - self.q
        self.last = first + self.q - 1
        k = torch.arange(int(self.q.max()))
        self.utterance = torch.where(k < self.q[:, None], first[:, None] + k, len(utterances))  # (B, Q), U: none
        # Where the words of a dialogue stand in (W, U), (B, M); W U: none.
        places = [torch.cat([torch.arange(int(self.lengths[u])) * len(utterances) + u for u in range(f, f + n)])
                  for f, n in zip(first.tolist(), self.q.tolist())]
        self.places = pad_sequence(places, batch_first=True, padding_value=self.words.numel())
        self.inputs = tensors([[SOS, *e["response"]] for e in examples])  # (N, B)
        self.targets = tensors([[*e["response"], EOS] for e in examples])
        self.keep = tensors([[1] * (len(e["response"]) + 1) for e in examples]).bool()
        self.steps = self.keep.sum(0)
        self.tokens = int(self.lengths.sum() + self.steps.sum())


def read(gru, x, lengths, start=None):
    """(T, n, in), padded -> y (T, n, D H), and the last states."""
    y, last = gru(pack_padded_sequence(x, lengths, enforce_sorted=False), start)
    return pad_packed_sequence(y)[0], last


def rows(y, places):
    """Those of (.., size) at places of its rows; zeros for the place behind the last one."""
    y = y.reshape(-1, y.shape[-1])
    return torch.cat([y, y.new_zeros(1, y.shape[1])])[places]


def both(h):
    """The last layer's states of both directions, (n, 2H)."""
    return torch.cat([h[-2], h[-1]], 1)


def look(additive, memory, projected, empty, query):
    """Attention of queries (B, in) to memories (B, M, size): the weighted sums."""
    e = additive.score(torch.tanh(additive.query(query)[:, None] + projected))[..., 0]
    return torch.einsum("bm,bmd->bd", torch.softmax(e.masked_fill(empty, -1e30), 1), memory)


# ---- losses, sums over the tokens of a batch

def hred_states(model, b):
    """g (layers, B, H), and the decoder's states (N, B, H)."""
    x = model.encoder["embedding"](b.words)
    u = rows(both(read(model.encoder["gru"], x, b.lengths)[1]), b.utterance)
    g = read(model.context["gru"], u.transpose(0, 1), b.q)[1]
    y, last = read(model.attention["gru"], x, b.lengths)
    memory, empty = rows(y, b.places), b.places == b.words.numel()
    projected = model.decoder["attention"].memory(memory)
    last = last[:, b.last]
    state = torch.stack([torch.tanh(linear(torch.cat([g[n], last[2 * n], last[2 * n + 1]], 1)))
                         for n, linear in enumerate(model.decoder["start"])])
    size = (len(b.q), model.noise)
    fixed = [g[-1]] + ([torch.randn(size) if model.training else torch.zeros(size)] if model.noise else [])
    states = []
    for word in model.encoder["embedding"](b.inputs):
        a = look(model.decoder["attention"], memory, projected, empty, state[-1])
        _, state = model.decoder["gru"](torch.cat([word, *fixed, a], 1)[None], state)
        states.append(state[-1])
    return g, torch.stack(states)


def hred(model, b):
    states = hred_states(model, b)[1]
    return F.cross_entropy(model.decoder["output"](states[b.keep]), b.targets[b.keep], reduction="sum")


def thred(model, b):
    embedding, message, context = model.encoder["embedding"], model.message["attention"], model.context["gru"]
    y, _ = read(model.encoder["gru"], embedding(b.words), b.lengths)
    y = torch.cat([y, y.new_zeros(len(y), 1, y.shape[2])], 1)  # no utterance
    empty = torch.cat([torch.arange(len(b.words))[:, None] >= b.lengths, torch.ones(len(b.words), 1, dtype=torch.bool)], 1)
    memories = []
    for k in range(b.utterance.shape[1]):
        longest = int(b.lengths[b.utterance[b.utterance[:, k] < len(b.lengths), k]].max())
        at = b.utterance[:, k]
        memory = y[:longest, at].transpose(0, 1)
        memories.append((memory, message.memory(memory), empty[:longest, at].T, (at < len(b.lengths))[:, None]))

    def integrate(s):
        c, all_c = torch.zeros_like(s), []
        for memory, projected, none, here in memories:
            m = look(message, memory, projected, none, torch.cat([s, c], 1))
            c = torch.where(here, context(m[None], c[None])[1][0], c)
            all_c.append(c)
        return torch.stack(all_c, 1)

    attention, none = model.decoder["attention"], b.utterance == len(b.lengths)
    c = integrate(y.new_zeros(len(b.q), model.config.hidden_size))[:, -1]
    state = torch.stack([torch.tanh(linear(c)) for linear in model.decoder["start"]])
    inputs, states = embedding(b.inputs), []
    for word in inputs:
        c = integrate(state[-1])
        r = look(attention, c, attention.memory(c), none, state[-1])
        _, state = model.decoder["gru"](torch.cat([word, r], 1)[None], state)
        states.append(state[-1])
    h = torch.cat([torch.stack(states), inputs], 2)
    return F.cross_entropy(model.decoder["output"](h[b.keep]), b.targets[b.keep], reduction="sum")


def keywords(model, b):
    """With the loss on sampled words in training: every response counts as often as it has steps."""
    v = torch.zeros(len(b.q), model.config.vocab_size)
    for of, e in zip(v, b.examples):
        asked = torch.tensor(sorted(set(e["context"][-1])))
        of += torch.sparse.mm(model.by_response, torch.zeros(len(of), 1).index_fill_(0, asked, 1))[:, 0]
    v = v / v.sum(1, keepdim=True).clamp(min=1e-30)
    at = b.last
    h = read(model.encoder["gru"], model.encoder["embedding"](b.words[:, at]), b.lengths[at])[1]
    m = torch.tanh(model.keywords["second"](torch.tanh(model.keywords["first"](v))))
    start = torch.cat([h, m.expand(len(h), -1, -1)], 2)
    s, _ = read(model.decoder["gru"], model.encoder["embedding"](b.inputs), b.steps, start)
    s, dialogue = s[b.keep], torch.arange(len(b.q)).expand(b.keep.shape)[b.keep]
    output, v_of_step = model.decoder["output"], v[dialogue]
    share = torch.sigmoid(output.gate(s)) * (v_of_step.sum(1, keepdim=True) > 0)
    log_p = torch.log((1 - share) * torch.softmax(s @ output.weight.T, 1) + share * v_of_step)
    nll = F.nll_loss(log_p, b.targets[b.keep], reduction="sum")
    if not model.training:
        return nll
    gumbel = -torch.log(-torch.log(torch.rand_like(log_p).clamp(1e-10, 1 - 1e-7)))
    drawn = torch.zeros_like(v).index_add(0, dialogue, torch.softmax(log_p + gumbel, 1))
    best, places = v.topk(KEYWORDS, 1)
    found = (drawn.gather(1, places).clamp(max=1) * (best > 0)).sum(1) / KEYWORDS
    a = model.config.keyword_weight
    return (1 - a) * nll - a * (found * b.steps).sum()


def two_vocabulary(model, b):
    """The context is read as one sequence; with the loss of the gate in training."""
    words = rows(b.words[..., None], b.places)[..., 0].T
    length = (b.places < b.words.numel()).sum(1)
    y, _ = read(model.encoder["lstm"], model.encoder["embedding"](words), length)
    h_txt = torch.sigmoid(model.encoder["text"](y.sum(0) / length[:, None]))
    sentiment, domain = (torch.tensor([e["conditions"][kind][0] for e in b.examples]) for kind in (0, 1))
    h_dom = torch.relu(model.domain["second"](torch.relu(model.domain["first"](model.domain["embedding"](domain)))))
    h_0 = torch.stack([start(torch.cat([h_txt, h_dom], 1)) for start in model.decoder["start"]])
    e_s = model.decoder["sentiment"](sentiment).expand(len(b.inputs), -1, -1)
    x = torch.cat([model.encoder["embedding"](b.inputs), e_s], 2)
    h = read(model.decoder["lstm"], x, b.steps, (h_0, torch.zeros_like(h_0)))[0][b.keep]
    output, targets, z = model.decoder["output"], b.targets[b.keep], model.decoder["output"].gate(h)
    log_o = torch.cat([F.logsigmoid(-z) + torch.log_softmax(h @ output.weight.T, 1),
                       F.logsigmoid(z) + torch.log_softmax(output.special(h), 1)], 1)
    nll = F.nll_loss(log_o, targets, reduction="sum")
    if not model.training:
        return nll
    return nll - model.config.gate_weight * F.logsigmoid(z[:, 0])[targets >= model.generic].sum()


class WordDiscriminator(nn.Module):
    """p_j of the words of answers, each layer started from the context's (word_discriminator.h)."""

    def __init__(self, c):
        super().__init__()
        self.gru = nn.GRU(c.embedding_size, c.hidden_size, c.num_layers, bidirectional=True)
        self.output = nn.Linear(2 * c.hidden_size, 1)

    def log_score(self, x, lengths, g):
        """ln D of each answer (B), for E chi (J, B, E)."""
        y, _ = read(self.gru, x, lengths, g.repeat_interleave(2, 0))
        here = torch.arange(len(y))[:, None] < lengths
        return (F.logsigmoid(self.output(y)[..., 0]) * here).sum(0) / lengths


def judge_loss(model, judge, b):
    """-ln D(real) - ln(1 - D(fake)), the mean over the answers that have words; fake words are drawn behind the said ones."""
    with torch.no_grad():
        g, states = hred_states(model, b)
        logits = model.decoder["output"](states[:-1])
        logits[..., NO_WORDS] = -1e30
        drawn = torch.distributions.Categorical(logits=logits).sample()
        some = b.steps > 1
        real, fake = (model.encoder["embedding"](words[:, some]) for words in (b.inputs[1:], drawn))
        lengths, g = b.steps[some] - 1, g[:, some]
    real, fake = judge.log_score(real, lengths, g), judge.log_score(fake, lengths, g)
    return -real.mean() - torch.log(-torch.expm1(fake.clamp(max=-1e-7))).mean()


LOSSES = {"hred-attention": hred, "thred": thred, "keywords": keywords, "two-vocabulary": two_vocabulary}


# ---- the two programs

def prepare(model):
    """The run's model as modules that read batches."""
    if model.config.structure == "two-vocabulary":  # LSTMs of PyTorch, with the same weights
        c = model.config
        for part, width, two_ways in ((model.encoder, c.embedding_size, True),
                                      (model.decoder, c.embedding_size + max(c.embedding_size // 4, 1), False)):
            lstm = nn.LSTM(width, c.hidden_size, c.num_layers, bias=False, bidirectional=two_ways)
            lstm.load_state_dict(part["lstm"].state_dict())
            part["lstm"] = lstm
    if model.config.structure == "keywords":
        cells = [(response, query, value) for query, of in model.ppmi.items() for response, value in of.items()]
        r, q, value = zip(*cells)
        model.by_response = torch.sparse_coo_tensor([r, q], value, 2 * [model.config.vocab_size]).coalesce()
    return model


def check(model, batch):
    """The loss of a batch in evaluation is that of heed.torch, dialogue by dialogue."""
    with torch.no_grad():
        expected = sum(model(e)["nll"].sum().item() for e in batch.examples)
        prepare(model).eval()
        found = LOSSES[model.config.structure](model, batch).item()
    if abs(found - expected) > 1e-4 * expected:
        raise SystemExit(f"{model.config.structure}: the batch's loss is {found}, of its dialogues one by one {expected}")


class InTorch:
    """Seconds of the processor for a step."""

    def __init__(self, name, run, where, turns, batch):
        model = heed.torch.load_model(run)
        examples = sorted(examples_of(where, model, turns), key=lambda e: (sum(map(len, e["context"])), len(e["response"])))
        self.batches = [Batch(examples[i:i + batch]) for i in range(0, len(examples), batch)]
        random.Random(1).shuffle(self.batches)
        check(model, self.batches[0])
        self.model, self.loss = model.train(), LOSSES[model.config.structure]
        self.judge = WordDiscriminator(model.config) if name == "hredgan" else None
        self.players = [(m, torch.optim.Adam(m.parameters(), lr=0.001)) for m in (model, self.judge) if m]
        self.epoch()

    def epoch(self):
        start = time.process_time()
        for b in self.batches:
            for module, optimizer in self.players:
                optimizer.zero_grad(set_to_none=True)
                loss = judge_loss(self.model, self.judge, b) if module is self.judge else self.loss(module, b) / len(b.q)
                loss.backward()
                nn.utils.clip_grad_norm_(module.parameters(), 1.0)
                optimizer.step()
        return (time.process_time() - start) / len(self.batches)


def train(args, command, where, out, epochs):
    """Seconds of the processor."""
    shutil.rmtree(out, ignore_errors=True)
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = used()
    subprocess.run([args.heed.resolve(), *command, "--data", ".", "--out", out, "--preset", "laptop", "--layers", "1",
                    "--hidden", str(args.hidden), "--embed", str(args.hidden), "--vocab", "10000", "--dropout", "0",
                    "--batch", str(args.batch), "--examples", "last", "--max-utterance", "0", "--max-response", "0",
                    "--epochs", str(epochs), "--threads", "1"], cwd=where, check=True, stdout=subprocess.DEVNULL)
    done = len((out / "log.jsonl").read_text().splitlines())
    if done != epochs:
        raise SystemExit(f"{out}: {done} epochs in the place of {epochs}")
    return used() - before


def compare(args, name, where):
    """The two in turn, {"heed_s", "torch_s"} of a step in each round."""
    command, turns = SYSTEMS[name]
    command = [*command, "--max-turns", str(turns)]
    run = where / name
    once = train(args, command, where, run, 1)
    there = InTorch(name, run, where, turns, args.batch)
    steps = len(there.batches)
    rounds = []
    for i in range(args.rounds):
        in_torch = there.epoch() if i % 2 else None
        in_heed = (train(args, command, where, where / "again", 3) - once) / (2 * steps)
        rounds.append({"heed_s": in_heed, "torch_s": in_torch or there.epoch()})
    return {"system": name, "steps": steps, "tokens": sum(b.tokens for b in there.batches) / steps,
            "vocabulary": there.model.config.vocab_size, "rounds": rounds}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("heed", type=Path)
    for option, value in [("rounds", 3), ("hidden", 128), ("dialogues", 640), ("batch", 32), ("seed", 1)]:
        p.add_argument("--" + option, type=int, default=value)
    p.add_argument("--only", type=lambda text: text.split(","), default=list(SYSTEMS))
    p.add_argument("--json", type=Path)
    args = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        write_data(where, args.dialogues, random.Random(args.seed))
        print(f"PyTorch {torch.__version__}\n\n| | tokens a step | heed, ms a step | PyTorch | PyTorch / heed | of all rounds |\n"
              "| --- | ---: | ---: | ---: | ---: | ---: |")
        for name in args.only:
            results.append(compare(args, name, where))
            rounds = results[-1]["rounds"]
            ratios = [r["torch_s"] / r["heed_s"] for r in rounds]
            middle = lambda key: 1000 * statistics.median(r[key] for r in rounds)
            print(f"| `{name}` | {results[-1]['tokens']:.0f} | {middle('heed_s'):.0f} | {middle('torch_s'):.0f} | "
                  f"{statistics.median(ratios):.2f} | {min(ratios):.2f} to {max(ratios):.2f} |", flush=True)
    if args.json:
        args.json.write_text(json.dumps({"torch": torch.__version__, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
