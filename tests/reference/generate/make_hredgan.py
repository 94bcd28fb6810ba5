"""Writes what PyTorch computes in float64 of a discriminator of words beside the generator of a case:

    python3 make_hredgan.py ../hred-attention ../hred-attention-noise ../hredgan

discriminator.safetensors   weights of chance, exact in float32
expected.json               scores, losses, gradients (norm and sum of each parameter), and five rounds of both players in
                            each mode, with the decoder's noise and without it (that of the second case)
"""
import argparse
import copy
import dataclasses
import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

import package  # noqa: F401
import heed.torch
from heed.torch import parts
from heed.torch.topics import philox, purpose_id
from make_cases import clip

NO_WORDS = [parts.PAD, parts.SOS, parts.EOS, parts.EOU]
RATE, UNTIL, FROM = 0.1, 0.6, 0.5  # of the rounds: gates that open and shut


class WordDiscriminator(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gru = nn.GRU(c.embedding_size, c.hidden_size, c.num_layers, bidirectional=True)
        self.output = nn.Linear(2 * c.hidden_size, 1)

    def forward(self, embedded, g):
        """The logits of p_j, for one answer (J, E) and the states (layers, H) of the context's network."""
        return self.output(self.gru(embedded, g.repeat_interleave(2, 0))[0])[:, 0]


def noise(i, steps, vocab_size):
    """That of word v in step t of dialogue i."""
    t, v = torch.arange(float(steps)), torch.arange(float(vocab_size))
    return 2 * torch.sin(3 * t[:, None] + v + 5 * i)


def fake(model, logits, kind, noise):
    logits = logits[:-1].clone()  # the last one is that of <eos>
    logits[:, NO_WORDS] = -math.inf
    table = model.encoder["embedding"].weight
    if kind == "soft":
        return torch.softmax(logits, 1) @ table
    noisy = logits + noise
    hard = F.one_hot(noisy.argmax(1), logits.shape[1]).double()
    if kind == "straight-through":
        soft = torch.softmax(noisy, 1)
        return (hard + soft - soft.detach()) @ table
    return hard @ table


def tell(model, judge, dialogs, kind, noises=None, z=None):
    """ln D of real and fake answers, and the mean of ln(1 - p) of the fake ones."""
    real, drawn, not_drawn = [], [], []
    for i, d in enumerate(dialogs):
        g = model.read(d)
        real.append(F.logsigmoid(judge(model.embedded(d["response"]), g)).mean())
        logits = model.logits(d, z and z[i])[0]
        words = noises[i] if noises else noise(i, len(logits) - 1, logits.shape[1])
        x = judge(fake(model, logits, kind, words), g)
        drawn.append(F.logsigmoid(x).mean())
        not_drawn.append(F.logsigmoid(-x).mean())
    return torch.stack(real), torch.stack(drawn), torch.stack(not_drawn)


def loss_of(real, drawn, not_drawn, by_word=False):
    return -real.mean() - (not_drawn if by_word else torch.log(1 - torch.exp(drawn))).mean()


def right(real, drawn):
    half = math.log(0.5)
    return ((real > half).sum() + (drawn < half).sum()).item()


def gradients(loss, module):
    module.zero_grad()
    loss.backward()
    return {k: [0, 0] if p.grad is None else [p.grad.norm().item(), p.grad.sum().item()]
            for k, p in module.named_parameters()}


class Stream:
    """The numbers of a step that heed draws for a purpose (tensor/random.h, tensor/kernels/random.h)."""
    def __init__(self, seed, purpose, step):
        self.seed, self.purpose, self.step = seed, purpose_id(purpose), step

    def words(self, n):
        return [w for i in range((n + 3) // 4)
                for w in philox([i, self.step >> 32, self.purpose, self.step & 0xFFFFFFFF], self.seed)][:n]

    def uniform(self, n):
        return torch.tensor([w >> 8 for w in self.words(n)]) / 2.0**24

    def normal(self, n):
        u = self.uniform(n + n % 2)
        radius, angle = torch.sqrt(-2 * torch.log(1 - u[0::2])), 2 * math.pi * u[1::2]
        return torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], 1).flatten()[:n]

    def gumbel(self, n):
        return -torch.log(-torch.log(self.uniform(n) + 2.0**-25))


def packed(lengths, draw):
    """Of sequences, the longest first: a row of draw(t, n) for each that is still running in step t."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    found = [[] for _ in lengths]
    for t in range(max(lengths)):
        running = [i for i in order if lengths[i] > t]
        for i, row in zip(running, draw(t, len(running))):
            found[i].append(row)
    return [torch.stack(rows) for rows in found]


def draws(model, dialogs, seed, step):
    """Gumbel numbers of all words (n, V) for each dialogue, and z (n + 1, E), if the model has noise, else None."""
    lengths = [len(d["response"]) for d in dialogs]
    v, e, kind = model.config.vocab_size, model.config.embedding_size, model.config.noise
    rows = iter(Stream(seed, "fake", step << 20).gumbel(sum(lengths) * v).view(-1, v))
    noises = packed(lengths, lambda t, n: [next(rows) for _ in range(n)])
    if kind == "none":
        return noises, None
    of_step = {t: Stream(seed, "noise", step << 20 | t) for t in range(max(lengths) + 1)}
    if kind == "word":
        return noises, packed([n + 1 for n in lengths], lambda t, n: of_step[t].normal(n * e).view(n, e))
    of_all = of_step[0].normal(len(dialogs) * e).view(-1, e)
    return noises, packed([n + 1 for n in lengths], lambda t, n: of_all[:n])


def rounds(model, judge, dialogs, kind):
    """Five of both players, each by SGD with its own gradient clipped to 5."""
    high, low = Stream(1, "words.discriminator", 0).words(2)
    lines = []
    for n in range(5):
        line = {}
        noises, z = draws(model, dialogs, 1, n)
        taught = sum(F.cross_entropy(logits, parts.targets(d, logits), reduction="sum")
                     for d, logits in ((d, model.logits(d, z and z[i])[0]) for i, d in enumerate(dialogs))) / len(dialogs)
        real, drawn, _ = tell(model, judge, dialogs, kind, noises, z)
        line["heard"] = kind != "drawn" and right(real, drawn) >= FROM * 2 * len(dialogs)
        loss = taught - drawn.mean() if line["heard"] else taught
        line["generator"] = step(loss, model)
        real, drawn, not_drawn = tell(model, judge, dialogs, kind, *draws(model, dialogs, high << 32 | low, n))
        line["told"] = right(real, drawn)
        line["made"] = line["told"] < UNTIL * 2 * len(dialogs)
        line["discriminator"] = step(loss_of(real, drawn, not_drawn), judge, line["made"])
        lines.append(line)
    return lines


def step(loss, module, made=True):
    module.zero_grad()
    loss.backward()
    clip(module, 5.0)
    for p in module.parameters():
        if made:
            p.data -= RATE * p.grad
    return loss.item()


def read(case):
    model = heed.torch.load_model(case, torch.float64)
    dialogs = []
    for d in heed.read_dialogues(case / "dialogs.jsonl"):
        *context, response = heed.torch.numbers(model.vocabulary, (t["text"].split() for t in d["turns"]))
        dialogs.append({"context": context, "response": response, "distraction": [False] * len(context)})
    return model, dialogs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", type=Path)
    parser.add_argument("noisy", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_default_dtype(torch.float64)
    model, dialogs = read(args.case)
    judge = WordDiscriminator(model.config)
    for p in judge.parameters():
        p.data = (1.6 * torch.rand_like(p) - 0.8).float().double()
    expected = {}
    for kind in ("drawn", "soft", "straight-through"):
        real, drawn, not_drawn = tell(model, judge, dialogs, kind)
        expected[kind] = {"real": real.tolist(), "fake": drawn.tolist(), "not_fake": not_drawn.tolist(), "right": right(real, drawn),
                          "loss": loss_of(real, drawn, not_drawn).item(),
                          "loss_by_word": loss_of(real, drawn, not_drawn, True).item(),
                          "discriminator": gradients(loss_of(*tell(model, judge, dialogs, kind)), judge),
                          "generator": gradients(-tell(model, judge, dialogs, kind)[1].mean(), model)}
    args.out.mkdir(exist_ok=True)
    heed.write_safetensors(args.out / "discriminator.safetensors",
                           {k: p.detach().float() for k, p in judge.named_parameters()}, {"format": "pt"})
    expected["rounds"] = {"rate": RATE, "until": UNTIL, "from": FROM}
    for kind, noise_of in (("drawn", "none"), ("soft", "none"), ("straight-through", "none"), ("soft", "utterance"),
                           ("straight-through", "word")):
        player, of_player = read(args.case if noise_of == "none" else args.noisy)
        player.config = dataclasses.replace(player.config, noise=noise_of)
        expected["rounds"][f"{kind} {noise_of}"] = rounds(player, copy.deepcopy(judge), of_player, kind)
    (args.out / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
