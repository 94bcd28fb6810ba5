"""What the models share. One dialogue at a time: m context tokens, q context utterances, n response
tokens, H hidden size, L layers, M rows of the memory (m or q). Written to be read, not to be fast.

Numbers of tokens: 0 <pad>, 1 <unk>, 2 <sos>, 3 <eos>, 4 <eou>; words follow. A context is its
utterances one after the other, each closed by <eou>; a response is fed as <sos> w1 .. wn and
predicted as w1 .. wn <eos>. There is no dropout: it is random, and these models are for evaluation."""
from __future__ import annotations

import math
from typing import Dict, List, Optional, Sequence, Tuple, TypedDict

import torch
from torch import Tensor, nn

from heed.torch.config import ModelConfig

PAD, UNK, SOS, EOS, EOU = 0, 1, 2, 3, 4

LstmState = Tuple[Tensor, Tensor]  # h and c, each (L, 1, H); of two directions (2 L, 1, H)


class Example(TypedDict, total=False):
    """A dialogue as numbers of tokens, without <eou>, <sos> and <eos>."""

    context: List[List[int]]
    response: List[int]
    distraction: List[bool]  # of each utterance of the context
    conditions: List[List[int]]  # of two-vocabulary: numbers of the values of sentiment and domain


class Outputs(TypedDict, total=False):
    """What a model makes of an example."""

    nll: Tensor  # (n + 1): -log p of each response token, <eos> last
    attention: Tensor  # (n + 1, M): weights of the memory's rows, tokens or utterances
    attention_loss: Tensor  # (n + 1): mean over the M rows of (weight * mark)^2, Eq. 9
    as_scores: Tensor  # (q): Eq. 7; 1.0 is what an average utterance gets
    added: Tensor  # (): what else the training's loss has, of a model that has it


class Responder(nn.Module):
    """A model that writes responses: model(example) gives Outputs."""

    vocabulary: List[str]  # of one that was loaded

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config: ModelConfig = config


class Lstm(nn.Module):
    """torch.nn.LSTM with one bias a layer instead of two, and by heed's names: weight_ih_l0 (4H, in),
    weight_hh_l0 (4H, H), bias_l0 (4H), of the backward direction with _reverse behind. Gates stand in
    the order i, f, g, o."""

    def __init__(self, inputs: int, hidden: int, layers: int, bias: bool = False, bidirectional: bool = False):
        super().__init__()
        self.hidden, self.layers, self.bias, self.bidirectional = hidden, layers, bias, bidirectional
        self.suffixes = [f"_l{n}{way}" for n in range(layers) for way in ("", "_reverse")[:1 + bidirectional]]
        bound = 1 / math.sqrt(hidden)
        for suffix in self.suffixes:
            below = inputs if suffix.startswith("_l0") else hidden * (1 + bidirectional)
            sizes: Dict[str, Tuple[int, ...]] = {"weight_ih": (4 * hidden, below), "weight_hh": (4 * hidden, hidden)}
            if bias:
                sizes["bias"] = (4 * hidden,)
            for name, size in sizes.items():
                self.register_parameter(name + suffix, nn.Parameter(torch.empty(size).uniform_(-bound, bound)))

    def forward(self, x: Tensor, state: Optional[LstmState] = None) -> Tuple[Tensor, LstmState]:
        """x (T, in) -> (T, H), of two directions (T, 2H), and the last state."""
        if state is None:
            zero = x.new_zeros(len(self.suffixes), 1, self.hidden)
            state = (zero, zero)
        weights = []
        for suffix in self.suffixes:
            weights += [getattr(self, "weight_ih" + suffix), getattr(self, "weight_hh" + suffix)]
            if self.bias:  # PyTorch adds two
                weights += [getattr(self, "bias" + suffix), x.new_zeros(4 * self.hidden)]
        y, h, c = torch.lstm(x[None], state, weights, self.bias, self.layers, 0.0, False, self.bidirectional, True)
        return y[0], (h, c)


class AttentionScore(nn.ModuleDict):
    """Of a query (H) and each row of a memory (M, H): `dot` k . q, `general` k . (W q) (Luong et al.
    2015), or `additive` v . tanh(W q + U k) (Bahdanau et al. 2015)."""

    PARTS = {"dot": (), "general": ("project",), "additive": ("query", "memory", "score")}

    def __init__(self, kind: str, hidden: int):
        super().__init__({name: nn.Linear(hidden, 1 if name == "score" else hidden, bias=False)
                          for name in self.PARTS[kind]})

    def forward(self, memory: Tensor, query: Tensor) -> Tensor:
        if "score" in self:
            return self["score"](torch.tanh(self["query"](query) + self["memory"](memory)))[:, 0]
        return memory @ (self["project"](query) if "project" in self else query)


def embedded(embedding: nn.Module, tokens: Sequence[int]) -> Tensor:
    """(n) numbers of tokens -> (n, E)."""
    return embedding(torch.tensor(tokens, device=next(embedding.parameters()).device))


def context_tokens(example: Example) -> List[int]:
    return [token for utterance in example["context"] for token in [*utterance, EOU]]


def targets(example: Example, like: Tensor) -> Tensor:
    """What the decoder has to predict, (n + 1)."""
    return torch.tensor([*example["response"], EOS], device=like.device)


def outputs(example: Example, nll: Tensor, attention: Tensor, of_tokens: bool) -> Outputs:
    """attention (n + 1, M), of m tokens or q utterances; (n + 1, 0) without: no scores, no loss."""
    if attention.shape[1] == 0:
        return {"nll": nll, "attention": attention, "attention_loss": nll[:0], "as_scores": nll[:0]}
    flags = torch.tensor(example["distraction"], dtype=attention.dtype, device=attention.device)  # (q)
    lengths = torch.tensor([len(u) + 1 for u in example["context"]], device=attention.device)
    shares, q, m = attention.mean(0), len(lengths), int(lengths.sum())
    mask, as_scores = flags, q * shares
    if of_tokens:  # m * (mean weight of its tokens): even attention scores 1 for every utterance
        mask = torch.repeat_interleave(flags, lengths)
        utterance_of = torch.repeat_interleave(torch.arange(q, device=lengths.device), lengths)
        as_scores = m / lengths.to(shares.dtype) * torch.zeros_like(flags).index_add(0, utterance_of, shares)
    return {"nll": nll, "attention": attention, "attention_loss": ((attention * mask) ** 2).mean(1),
            "as_scores": as_scores}


