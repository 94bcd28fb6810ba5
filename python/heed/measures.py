"""DAS ratios of attention scores (docs/paper.md; Xing & Gulla 2022, Eqs. 7 and 8)."""
from __future__ import annotations

from typing import Dict, Iterable, List, Optional, Sequence, Tuple


def _mean(values: Sequence[float]) -> Optional[float]:
    return sum(values) / len(values) if values else None


def _means(pairs: Sequence[Tuple[float, float]]) -> Tuple[Optional[float], Optional[float]]:
    return _mean([d for d, _ in pairs]), _mean([h for _, h in pairs])


def _ratio(d: Optional[float], h: Optional[float]) -> Optional[float]:
    return d / h if d is not None and h else None


def dialogue_means(as_scores: Sequence[float],
                   distraction: Sequence[bool]) -> Tuple[Optional[float], Optional[float]]:
    """(D, H): mean AS of a dialogue's distractions and of the original utterances of its history.
    The query, last, is in neither. None: there is none, or no scores, as of a model without attention."""
    history = range(len(as_scores) - 1)
    return (_mean([as_scores[k] for k in history if distraction[k]]),
            _mean([as_scores[k] for k in history if not distraction[k]]))


def das_ratio(as_scores: Sequence[float], distraction: Sequence[bool]) -> Optional[float]:
    """D / H of one dialogue: what Eq. 8 takes the mean of. None where there is no distraction, no
    history, or no attention on the history."""
    return _ratio(*dialogue_means(as_scores, distraction))


def das_summary(dialogues: Iterable[Tuple[Sequence[float], Sequence[bool]]]) -> Dict[str, Optional[float]]:
    """Of (as_scores, distraction) pairs a test set's numbers, over the dialogues that have both a
    distraction and an original utterance in their history:

    as_distraction, as_history   means of D and of H
    das_ratio        their quotient: what the paper's tables print
    mean_das_ratio   the mean of D / H: Eq. 8 as it is written
    das_above        the share of the dialogues with D > H
    das_bounded      the mean of D / (D + H); even attention has 0.5
    das_ratio_long   das_ratio over the dialogues with two original utterances or more in their history
    """
    pairs: List[Tuple[float, float]] = []
    long_pairs: List[Tuple[float, float]] = []
    for as_scores, distraction in dialogues:
        d, h = dialogue_means(as_scores, distraction)
        if d is not None and h is not None:
            pairs.append((d, h))
            if list(distraction[:-1]).count(False) >= 2:
                long_pairs.append((d, h))
    d, h = _means(pairs)
    return {"as_distraction": d, "as_history": h, "das_ratio": _ratio(d, h),
            "mean_das_ratio": _mean([d / h for d, h in pairs if h]),
            "das_above": _mean([float(d > h) for d, h in pairs]),
            "das_bounded": _mean([d / (d + h) for d, h in pairs if d + h]),
            "das_ratio_long": _ratio(*_means(long_pairs))}
