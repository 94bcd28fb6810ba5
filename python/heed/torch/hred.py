"""HRED of GRUs, with attention to words: `dialog/respond/models/hred.h` once more, in PyTorch."""
from __future__ import annotations

from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import ModelConfig
from heed.torch.parts import Example, Outputs, Responder

# structure -> the utterances whose words the decoder looks at
LOOKS_AT = {"hred-gru": None, "hred-attention-current": slice(-1, None), "hred-attention": slice(None)}


def last_states(h: Tensor) -> List[Tensor]:
    """The last state (D * layers, H) of a GRU of D directions as one vector (D * H) a layer: forward, backward."""
    return [torch.cat(list(h[n:n + 2])) for n in range(0, len(h), 2)]


class Additive(nn.Module):
    """softmax_j(v . tanh(W q + U k_j)), Bahdanau et al. 2015: the weights."""

    def __init__(self, query: int, memory: int, hidden: int):
        super().__init__()
        self.query = nn.Linear(query, hidden, bias=False)
        self.memory = nn.Linear(memory, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, memory: Tensor, query: Tensor) -> Tensor:
        return torch.softmax(self.score(torch.tanh(self.query(query) + self.memory(memory)))[:, 0], 0)


class HredResponder(Responder):
    """encoder    u_k = the last states, both ways, of a GRU over utterance k
    context    g = GRU(u_1 .. u_q)
    attention  h'_j = a GRU over the words, both ways, each utterance by itself
    decoder    s_t = GRU([E y_{t-1}; g_q; z_t; a_t]), a_t = sum_j weights_j h'_j; z_t = 0 unless it is given
    output     logits = W_o s_t"""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        c = config
        e, h, layers = c.embedding_size, c.hidden_size, c.num_layers
        self.looks_at: Optional[slice] = LOOKS_AT[c.structure]
        self.noise = 0 if c.noise == "none" else e
        attends = self.looks_at is not None
        self.encoder = nn.ModuleDict({"embedding": nn.Embedding(c.vocab_size, e),
                                      "gru": nn.GRU(e, h, layers, bidirectional=True)})
        self.context = nn.ModuleDict({"gru": nn.GRU(2 * h, h, layers)})
        self.decoder = nn.ModuleDict({
            "start": nn.ModuleList(nn.Linear(h + 2 * h * attends, h) for _ in range(layers)),
            "gru": nn.GRU(e + h + self.noise + 2 * h * attends, h, layers),
            "output": nn.Linear(h, c.vocab_size, bias=False)})
        if attends:
            self.attention = nn.ModuleDict({"gru": nn.GRU(e, h, layers, bidirectional=True)})
            self.decoder["attention"] = Additive(h, 2 * h, h)

    def read(self, example: Example) -> Tensor:
        """g of all layers after the last utterance, (layers, H)."""
        last = [last_states(self.encoder["gru"](self.embedded([*u, parts.EOU]))[1])[-1] for u in example["context"]]
        return self.context["gru"](torch.stack(last))[1]

    def embedded(self, tokens: List[int]) -> Tensor:
        return parts.embedded(self.encoder["embedding"], tokens)

    def look(self, example: Example) -> Tuple[Tensor, List[Tensor]]:
        """The memory (M, 2H), and the last states of a layer (2H) after the last utterance."""
        read = [self.attention["gru"](self.embedded([*u, parts.EOU])) for u in example["context"][self.looks_at]]
        return torch.cat([y for y, _ in read]), last_states(read[-1][1])

    def logits(self, example: Example, noise: Optional[Tensor] = None) -> Tuple[Tensor, List[Tensor]]:
        """Those of all steps, (n, V), and the weights of each; with z_t of each step, (n, E)."""
        g = self.read(example)
        start = list(g)
        if self.looks_at is not None:
            memory, last = self.look(example)
            start = [torch.cat(both) for both in zip(start, last)]
        state = torch.stack([torch.tanh(linear(x)) for linear, x in zip(self.decoder["start"], start)])
        states, attention = [], []
        for t, word in enumerate(self.embedded([parts.SOS, *example["response"]])):
            step = [word, g[-1], word.new_zeros(self.noise) if noise is None else noise[t]]
            if self.looks_at is not None:
                weights = self.decoder["attention"](memory, state[-1])  # s_{t-1}
                step.append(weights @ memory)
                attention.append(weights)
            y, state = self.decoder["gru"](torch.cat(step)[None], state)
            states.append(y[0])
        return self.decoder["output"](torch.stack(states)), attention

    def forward(self, example: Example) -> Outputs:
        logits, attention = self.logits(example)
        nll = F.cross_entropy(logits, parts.targets(example, logits), reduction="none")
        scored = self.config.structure == "hred-attention"
        return parts.outputs(example, nll, torch.stack(attention) if scored else nll.new_zeros(len(nll), 0), True)
