"""Two vocabularies and a gate: `dialog/respond/models/two_vocabulary.h` once more, in PyTorch."""
from __future__ import annotations

from typing import List

import torch
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import ModelConfig
from heed.torch.parts import Example, Lstm, Outputs, Responder


class GatedOutput(nn.Module):
    """ln o = ln [(1 - a) softmax(W_g h); a softmax(W_s h)], a = sigmoid(w_a h); without sentiment words ln softmax(W_g h).
    With the gate on logits ln softmax([(1 - a) W_g h; a W_s h])."""

    def __init__(self, hidden: int, generic: int, special: int, on_logits: bool = False):
        super().__init__()
        self.on_logits = on_logits
        self.weight = nn.Parameter(torch.randn(generic, hidden) / hidden ** 0.5)
        if special > 0:
            self.special, self.gate = nn.Linear(hidden, special, bias=False), nn.Linear(hidden, 1, bias=False)

    def forward(self, h: Tensor) -> Tensor:
        generic = h @ self.weight.T
        if not hasattr(self, "gate"):
            return torch.log_softmax(generic, 1)
        a, special = self.a(h), self.special(h)
        if self.on_logits:
            return torch.log_softmax(torch.cat([(1 - a) * generic, a * special], 1), 1)
        return torch.cat([(1 - a) * torch.softmax(generic, 1), a * torch.softmax(special, 1)], 1).log()

    def a(self, h: Tensor) -> Tensor:
        return torch.sigmoid(self.gate(h))


class TwoVocabularyResponder(Responder):
    """encoder   h_txt = sigmoid(W_txt mean_t BLSTM(E x_t)),   h_dom = relu(W_2 relu(W_1 e_d))
    start     h_0 = W_enc [h_txt; h_dom] in each layer, cells 0
    decoder   h_t = LSTM([E y_{t-1}; e_s])
    output    o_t = [(1 - a_t) softmax(W_g h_t); a_t softmax(W_s h_t)];   the training adds
              - gate_weight ln a_t at each sentiment word
    gate_on_logits: o_t = softmax([(1 - a_t) W_g h_t; a_t W_s h_t]), and what is added is so at each word that is of the
              most probable word's kind"""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        c = config
        e, h, labels = c.embedding_size, c.hidden_size, max(c.embedding_size // 4, 1)
        self.generic = c.generic_words or c.vocab_size
        self.encoder = nn.ModuleDict({"embedding": nn.Embedding(c.vocab_size, e),
                                      "lstm": Lstm(e, h, c.num_layers, c.lstm_bias, bidirectional=True),
                                      "text": nn.Linear(2 * h, h, bias=False)})
        self.domain = nn.ModuleDict({"embedding": nn.Embedding(self.rows(c.domain), labels),
                                     "first": nn.Linear(labels, h, bias=False),
                                     "second": nn.Linear(h, labels, bias=False)})
        self.decoder = nn.ModuleDict({
            "start": nn.ModuleList(nn.Linear(h + labels, h, bias=False) for _ in range(c.num_layers)),
            "sentiment": nn.Embedding(self.rows(c.sentiment), labels),
            "lstm": Lstm(e + labels, h, c.num_layers, c.lstm_bias),
            "output": GatedOutput(h, self.generic, c.vocab_size - self.generic, c.gate_on_logits)})

    @staticmethod
    def rows(condition: str) -> int:
        """One for each value of "label=value|value", at least one."""
        return len(condition.partition("=")[2].split("|"))

    @staticmethod
    def mean_of_values(example: Example, kind: int, table: nn.Module) -> Tensor:
        values: List[int] = example.get("conditions", [[], []])[kind]
        return table.weight[values].sum(0) / max(len(values), 1)

    def forward(self, example: Example) -> Outputs:
        read, _ = self.encoder["lstm"](parts.embedded(self.encoder["embedding"], parts.context_tokens(example)))
        h_txt = torch.sigmoid(self.encoder["text"](read.mean(0)))
        e_d = self.mean_of_values(example, 1, self.domain["embedding"])
        h_dom = torch.relu(self.domain["second"](torch.relu(self.domain["first"](e_d))))
        h_0 = torch.stack([start(torch.cat([h_txt, h_dom])) for start in self.decoder["start"]])[:, None]
        words = parts.embedded(self.encoder["embedding"], [parts.SOS, *example["response"]])
        e_s = self.mean_of_values(example, 0, self.decoder["sentiment"])
        h, _ = self.decoder["lstm"](torch.cat([words, e_s.expand(len(words), -1)], 1), (h_0, torch.zeros_like(h_0)))
        y = parts.targets(example, h)
        log_o = self.decoder["output"](h)
        nll = -log_o[range(len(y)), y]
        out = parts.outputs(example, nll, h.new_zeros(len(y), 0), False)
        if self.generic < self.config.vocab_size:
            q = y >= self.generic
            if self.config.gate_on_logits:
                q = (log_o.argmax(1) >= self.generic) == q
            out["added"] = -self.config.gate_weight * (q.to(h.dtype) * self.decoder["output"].a(h)[:, 0].log()).sum()
        return out
