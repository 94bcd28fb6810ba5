"""Greedy and beam search in PyTorch and CTranslate2, which bench/compare_decoding.py times.

PyTorch has heed's equations as a careful user writes them: one batch, the products of the context computed once, keys and values kept,
hypotheses gathered. CTranslate2 has Transformers only: its own one of the same sizes (pre-normalised, ReLU, 8 heads).
All weights are random, so that nothing ends early.
"""
import math
import statistics
import tempfile
import time

import ctranslate2
import torch
import torch.nn.functional as F
from ctranslate2.specs import TransformerSpec
from torch import nn

from bench_torch import SOS, FastModel, make_batch
from compare_torch import SIZES

STEPS, BEAM, HEADS = 17, 5, 8
VERSIONS = [torch.__version__, ctranslate2.__version__]


# ---- PyTorch: a reader keeps what each step needs, by rows of hypotheses

class LstmWriter:
    """dynamic: each step attends to the utterances (design of bench_torch.FastModel)."""

    def __init__(self, model, batch, beam):
        self.model = model
        packed = nn.utils.rnn.pack_padded_sequence(model.src(batch["tokens"]), batch["m"], batch_first=True,
                                                   enforce_sorted=False)
        out, state = model.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
        memory = memory.gather(1, batch["ends"].unsqueeze(2).expand(-1, -1, memory.size(2)))
        bias = torch.zeros_like(batch["utt_valid"], dtype=memory.dtype).masked_fill(~batch["utt_valid"], -math.inf)
        self.memory, self.bias = memory.repeat_interleave(beam, 0), bias.repeat_interleave(beam, 0)
        self.state = tuple(s.repeat_interleave(beam, 1) for s in state)
        self.context = self.attend(self.state[0][-1])

    def attend(self, h):
        w = torch.softmax(torch.bmm(self.memory, h.unsqueeze(2)).squeeze(2) + self.bias, 1)
        return torch.bmm(w.unsqueeze(1), self.memory).squeeze(1)

    def step(self, tokens):
        m = self.model
        out, self.state = m.decoder(torch.cat([m.tgt(tokens), self.context], 1).unsqueeze(1), self.state)
        self.context = self.attend(out[:, 0])
        return m.output(torch.tanh(m.combine(torch.cat([self.context, out[:, 0]], 1))))

    def keep(self, rows):  # hypotheses of one dialogue share its memory
        self.state = tuple(s.index_select(1, rows) for s in self.state)
        self.context = self.context.index_select(0, rows)


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.kv, self.o = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)

    def split(self, x):
        return x.unflatten(2, (HEADS, -1)).transpose(1, 2)

    def read(self, x):
        return tuple(self.split(t) for t in self.kv(x).chunk(2, 2))

    def forward(self, x, keys, values):
        y = F.scaled_dot_product_attention(self.split(self.q(x)), keys, values)
        return self.o(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, d, decodes):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if decodes else 2))
        self.self_attention = Attention(d)
        self.attention = Attention(d) if decodes else None
        self.feed_forward = nn.Sequential(nn.Linear(d, 4 * d), nn.ReLU(), nn.Linear(4 * d, d))


class Transformer(nn.Module):
    def __init__(self, vocab, d, layers):
        super().__init__()
        self.src, self.tgt = nn.Embedding(vocab, d), nn.Embedding(vocab, d)
        self.encoder = nn.ModuleList(Layer(d, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(d, True) for _ in range(layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(d), nn.LayerNorm(d)
        self.output = nn.Linear(d, vocab)
        angles = torch.arange(1000).unsqueeze(1) / 10000 ** (torch.arange(0, d, 2) / d)
        self.register_buffer("positions", torch.cat([angles.sin(), angles.cos()], 1))


class TransformerWriter:
    def __init__(self, model, batch, beam):
        self.model, self.at = model, 0
        tokens = batch["tokens"]
        x = model.src(tokens) * math.sqrt(model.src.embedding_dim) + model.positions[:tokens.size(1)]
        for layer in model.encoder:
            y = layer.norms[0](x)
            x = x + layer.self_attention(y, *layer.self_attention.read(y))
            x = x + layer.feed_forward(layer.norms[1](x))
        x = model.encoder_norm(x)
        self.memory = [[t.repeat_interleave(beam, 0) for t in layer.attention.read(x)] for layer in model.decoder]
        self.written = [None] * len(model.decoder)

    def step(self, tokens):
        m = self.model
        x = (m.tgt(tokens) * math.sqrt(m.tgt.embedding_dim) + m.positions[self.at]).unsqueeze(1)
        for l, layer in enumerate(m.decoder):
            y = layer.norms[0](x)
            new = layer.self_attention.read(y)
            old = self.written[l]
            self.written[l] = new if old is None else [torch.cat([a, b], 2) for a, b in zip(old, new)]
            x = x + layer.self_attention(y, *self.written[l])
            x = x + layer.attention(layer.norms[1](x), *self.memory[l])
            x = x + layer.feed_forward(layer.norms[2](x))
        self.at += 1
        return m.output(m.decoder_norm(x[:, 0]))

    def keep(self, rows):
        self.written = [[t.index_select(0, rows) for t in pair] for pair in self.written]


def decode(writer, batch, beam):
    """The tokens of the best hypothesis of each dialogue, (batch, STEPS)."""
    with torch.inference_mode():
        state = writer(batch)
        n = batch["tokens"].size(0)
        tokens, written = torch.full((n * beam,), SOS), torch.empty(n * beam, 0, dtype=torch.long)
        scores = torch.full((n, beam), -math.inf)
        scores[:, 0] = 0  # all hypotheses begin alike
        first = torch.arange(n).unsqueeze(1) * beam
        for _ in range(STEPS):
            logits = state.step(tokens)
            if beam == 1:
                tokens = logits.argmax(1)
            else:
                log_p, words = torch.log_softmax(logits, 1).topk(beam)
                scores, best = (scores.unsqueeze(2) + log_p.view(n, beam, beam)).flatten(1).topk(beam)
                rows = (first + best // beam).flatten()
                tokens = words.view(n, -1).gather(1, best).flatten()
                state.keep(rows)
                written = written.index_select(0, rows)
            written = torch.cat([written, tokens.unsqueeze(1)], 1)
        return written.view(n, beam, STEPS)[:, 0]


def hypotheses(cell):
    return BEAM if cell["work"] == "beam" else 1


def flags(size):
    given = SIZES[size][0].split()
    return {name[2:]: int(value) for name, value in zip(given[::2], given[1::2])}


def torch_program(cell, n):
    torch.manual_seed(1)
    batch = make_batch([{"context": [12] * 6, "response": 16}] * n["batch"], n["vocab"],
                       torch.Generator().manual_seed(1), "cpu")
    if cell["structure"] == "transformer":
        model, writer = Transformer(n["vocab"], n["hidden"], n["layers"]), TransformerWriter
    else:
        model = FastModel(cell["structure"], n["vocab"], n["embed"], n["hidden"], n["layers"], 0)
        writer = LstmWriter
    beam = hypotheses(cell)
    model.eval()
    torch.set_num_threads(cell["threads"])
    return lambda: decode(lambda b: writer(model, b, beam), batch, beam)


# ---- CTranslate2

def draw(spec, n, rng):
    """Random weights for all parts of a Transformer of CTranslate2."""
    d = n["hidden"]

    def linear(part, rows, columns=d):
        part.weight, part.bias = rng(rows, columns), rng(rows)

    def norm(part):
        part.gamma, part.beta = rng(d) * 0 + 1, rng(d) * 0

    def attention(part, widths):
        norm(part.layer_norm)
        for one, width in zip(part.linear, widths):
            linear(one, width)

    spec.encoder.embeddings[0].weight, spec.decoder.embeddings.weight = rng(n["vocab"], d), rng(n["vocab"], d)
    for side in (spec.encoder, spec.decoder):
        norm(side.layer_norm)
        for layer in side.layer:
            attention(layer.self_attention, [3 * d, d])
            if hasattr(layer, "attention"):
                attention(layer.attention, [d, 2 * d, d])
            norm(layer.ffn.layer_norm)
            linear(layer.ffn.linear_0, 4 * d)
            linear(layer.ffn.linear_1, d, 4 * d)
    linear(spec.decoder.projection, n["vocab"])


def ctranslate2_program(cell, n):
    generator = torch.Generator().manual_seed(1)
    words = ["<unk>", "<s>", "</s>"] + [f"w{i}" for i in range(n["vocab"] - 3)]
    spec = TransformerSpec.from_config(n["layers"], HEADS, pre_norm=True)
    draw(spec, n, lambda *shape: torch.empty(shape).uniform_(-0.1, 0.1, generator=generator).numpy())
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    with tempfile.TemporaryDirectory() as folder:
        spec.validate()
        spec.optimize()
        spec.save(folder)
        translator = ctranslate2.Translator(folder, compute_type="float32", inter_threads=1, intra_threads=cell["threads"])
    ids = torch.randint(3, n["vocab"], (n["batch"], 78), generator=generator).tolist()
    texts = [[words[i] for i in row] for row in ids]

    def decode_batch():
        got = translator.translate_batch(texts, beam_size=hypotheses(cell), min_decoding_length=STEPS,
                                         max_decoding_length=STEPS, max_batch_size=n["batch"])
        assert all(len(g.hypotheses[0]) == STEPS for g in got)
    return decode_batch


def seconds(program, cell):
    """The median of as many batches as heed's steps, after one."""
    decode_batch = program(cell, flags(cell["size"]))
    decode_batch()
    times = []
    for _ in range(SIZES[cell["size"]][1]):
        begin = time.perf_counter()
        decode_batch()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)
