// Lab 7, second part: the loss gets weights that are made here, so that it can be judged before
// there is a model. check_attention.cc has the first.
#include <map>
#include <set>
#include <utility>

#include "autograd/ops.h"
#include "dialog/respond/loss.h"
#include "labs/07-attention/dialogues.h"
#include "labs/07-attention/insertion.h"
#include "labs/07-attention/loss.h"

namespace heed::lab {
namespace {

// ---- task: attention_loss

LAB_CHECK(LossOfADynamicStructure) {
  Draw draw;
  for (const MemoryOf of : {MemoryOf::kTokens, MemoryOf::kUtterances}) check_loss(draw, of, false);
}

LAB_CHECK(LossOfAStaticStructure) {
  Draw draw;
  for (const MemoryOf of : {MemoryOf::kTokens, MemoryOf::kUtterances}) check_loss(draw, of, true);
}

LAB_CHECK(TheLossMovesAttention) {
  Draw draw;
  constexpr int64_t kWidth = 4;
  const Traced t(draw_examples(draw, 6), MemoryOf::kUtterances, /*same_in_all_steps=*/true);
  const Segments& s = t.batch.memory.segments;
  const Tensor query = draw.normal({s.count(), kWidth}), memory = draw.normal({s.total(), kWidth});
  for (int64_t i = 0; i < query.numel(); ++i) query.data<double>()[i] *= 0.5;
  double first = 0, last = 0;
  for (int step = 0; step <= 100; ++step) {
    const Var q = Var::parameter(query), m = Var::parameter(memory);
    const Var weights = attend(q, m, s).weights;
    last = share_of_distractions(t.batch, weights.value());
    if (step == 0) first = last;
    const Var loss = attention_loss(t.batch, looked(AttentionTrace::same_in_all_steps(weights, s)));
    if (!loss.defined()) return expect(false, "the loss is undefined: there are distractions.");
    loss.backward();
    for (const auto& [values, gradient] : {std::pair(query, q.grad()), {memory, m.grad()}}) {
      if (!gradient.defined()) return expect(false, "no gradient of the loss comes back.");
      for (int64_t i = 0; i < values.numel(); ++i) {
        values.data<double>()[i] -= gradient.data<double>()[i];
      }
    }
  }
  expect(last < 0.7 * first,
         text("distractions had ", first, " of the attention, and after 100 steps down the loss ",
              last, ": it should have fallen by a third and more."));
}

// ---- task: insert_random

LAB_CHECK(InsertsAsOftenAsItShould) {
  Draw draw;
  for (const auto& [p, utterances] :
       {std::pair(draw.uniform(0.2, 0.4), int64_t{2}), {draw.uniform(0.6, 0.8), int64_t{5}}}) {
    const Insertion in(utterances);
    int64_t counts[3] = {0, 0, 0};
    for (int64_t i = 0; i < kInsertions; ++i) {
      const auto extra = insert_random(in.example, in.pool, p, draw.rng()).context.size() -
                         in.example.context.size();
      if (extra > 2) return expect(false, "at most two utterances are inserted, here more were.");
      ++counts[extra];
    }
    const auto fits = [&](double none, double one) {
      return as_likely(counts[0], none) && as_likely(counts[1], one) &&
             as_likely(counts[2], std::max(0.0, 1 - none - one));
    };
    const double q = 1 - p;
    if (fits(q * q, 2 * p * q)) continue;
    return expect(
        false, text("with p = ", p, " none, one and two distractions came ", counts[0], ", ",
                    counts[1], " and ", counts[2], " times of ", kInsertions, ", expected about ",
                    std::lround(q * q * kInsertions), ", ", std::lround(2 * p * q * kInsertions),
                    " and ", std::lround(p * p * kInsertions), ". ",
                    fits(p * p, 2 * p * q) ? "That is what 1 - p would give."
                    : fits(q, 0)           ? "Both or none: each has a chance of its own."
                    : fits(q, p * q)       ? "If the first is not inserted, the second never is."
                    : fits(q, p)           ? "There is never more than one."
                                           : "Each of the two is inserted with probability p."));
  }
  for (const double sure : {0.0, 1.0}) {
    const Insertion in(draw.between(2, 5));
    if_stopped("The context is longer by one only where the first distraction was inserted.");
    const Example e = insert_random(in.example, in.pool, sure, draw.rng());
    expect(e.context.size() == in.example.context.size() + (sure == 1 ? 2 : 0),
           "with p = 0 nothing is inserted, with p = 1 two utterances are.");
  }
}

LAB_CHECK(EveryPlaceIsAsLikely) {
  Draw draw;
  const Insertion in(draw.between(2, 4));
  const auto size = std::ssize(in.example.context);
  if_stopped(
      "A distraction never follows the query: the context has as many places before the query as "
      "it has utterances.");
  std::vector<int64_t> at(size + 1);
  for (int64_t i = 0; i < kInsertions; ++i) {
    const Example e = insert_random(in.example, in.pool, 1, draw.rng());
    if (std::ssize(e.distraction) != size + 2) return expect(false, "with p = 1 two are inserted.");
    if (e.distraction.back()) {
      return expect(false, "the last utterance of the context, the query, stays the last.");
    }
    for (int64_t k = 0; k <= size; ++k) at[k] += e.distraction[k];
  }
  if (fits(at, places(size, [&](int64_t i, Rng& rng) { return rng.below(size + i); }))) return;
  std::string counts, reason;
  for (const int64_t count : at) counts += " " + std::to_string(count);
  for (const auto& [name, rule] : wrong_places(size)) {
    if (fits(at, places(size, rule)))
      reason += (reason.empty() ? "That is what comes " : ", or ") + name;
  }
  expect(false,
         text("of ", kInsertions, " pairs of distractions so many stood at the places 0 to ", size,
              ":", counts, "; expected about ",
              std::lround(2.0 * kInsertions / static_cast<double>(size + 1)), " each. ",
              reason.empty() ? "Every place before the query is as likely as the others" : reason,
              "."));
}

LAB_CHECK(TheRestStaysAsItWas) {
  LAB_AFTER(InsertsAsOftenAsItShould);
  Draw draw;
  const Insertion in(draw.between(2, 5));
  std::set<std::vector<int32_t>> inserted;
  bool differ = false;  // the two of one dialogue
  for (int64_t i = 0; i < 200; ++i) {
    Rng rng(seed(), "insertion", i), again(seed(), "insertion", i);
    const Example e = insert_random(in.example, in.pool, 0.7, rng);
    std::vector<std::vector<int32_t>> rest, others;
    for (size_t k = 0; k < e.context.size(); ++k) {
      (e.distraction[k] ? others : rest).push_back(e.context[k]);
      if (e.distraction[k] && e.context[k][0] < 1000) {
        return expect(
            false,
            "a dialogue was distracted by an utterance of its own: that is none. draw_foreign() "
            "knows whose an utterance is.");
      }
    }
    if (rest != in.example.context || e.response != in.example.response) {
      return expect(false, "without what is flagged, a dialogue has to be what it was before.");
    }
    if (e.unknown.size() != others.size()) {
      return expect(
          false,
          "words of an inserted utterance that are unknown are lost: an Utterance is more "
          "than its tokens, and insert_utterance() knows of it.");
    }
    if (insert_random(in.example, in.pool, 0.7, again).context != e.context) {
      return expect(false, "the same Rng gave other distractions: all is a function of it.");
    }
    inserted.insert(others.begin(), others.end());
    differ |= others.size() == 2 && others[0] != others[1];
  }
  expect(
      inserted.size() == in.example.context.size(),
      text("of ", in.example.context.size(), " utterances of another dialogue that the pool has, ",
           inserted.size(), " came in 200 dialogues: each time one is drawn anew."));
  expect(differ, "both distractions of a dialogue are always the same utterance: each is drawn.");
}

}  // namespace
}  // namespace heed::lab
