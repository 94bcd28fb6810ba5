"""Topics by LDA that were learned before, and the topic of a new text: what `dialog/text/lda.h` does, number by number."""
from __future__ import annotations

from typing import List, Sequence

import numpy as np

_SEED, _SWEEPS, _BETA = 1, 20, 0.01


def purpose_id(name: str) -> int:
    """FNV-1a."""
    found = 2166136261
    for byte in name.encode():
        found = (found ^ byte) * 16777619 & 0xFFFFFFFF
    return found


def philox(counter: Sequence[int], key: int) -> List[int]:
    """Four random words: Philox-4x32-10 (`tensor/random.h`)."""
    x, y, z, w = counter
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * x, 0xCD9E8D57 * z
        x, y, z, w = (b >> 32) ^ y ^ k0, b & 0xFFFFFFFF, (a >> 32) ^ w ^ k1, a & 0xFFFFFFFF
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return [x, y, z, w]


class TopicModel:
    """counts (V, K): tokens of each word and topic."""

    def __init__(self, counts: np.ndarray):
        self.counts = counts.astype(np.int64)

    def top_words(self, topic: int, first: int, most: int) -> List[int]:
        """The most probable ones from the word `first` on, of equal ones the first."""
        counts = self.counts[:, topic]
        found = [int(word) for word in np.argsort(-counts, kind="stable") if counts[word] > 0 and word >= first]
        return found[:most]

    def topic_of(self, document: Sequence[int]) -> int:
        """The topic that most of its words have after 20 sweeps of Gibbs sampling; 0 without a word."""
        words, topics = self.counts.shape
        known = [word for word in document if word < words and self.counts[word].any()]
        of_topic = self.counts.sum(0) + words * _BETA
        of_document, assigned = np.zeros(topics), [-1] * len(known)
        for sweep in range(_SWEEPS + 1):
            for i, word in enumerate(known):
                if assigned[i] >= 0:
                    of_document[assigned[i]] -= 1
                sums = np.cumsum((of_document + 1 / topics) * (self.counts[word] + _BETA) / of_topic)
                step = sweep << 32  # the document is number 0
                drawn = philox([i // 4, step >> 32, purpose_id("lda.new"), step & 0xFFFFFFFF], _SEED)[i % 4]
                assigned[i] = min(int(np.searchsorted(sums, (drawn >> 8) / 2**24 * sums[-1], side="right")), topics - 1)
                of_document[assigned[i]] += 1
        return int(np.argmax(of_document))
