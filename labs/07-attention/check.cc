// Lab 7, third part: the loss gets weights that are made here, so that it can be judged before
// there is a model. check_attention.cc has the first, check_attend.cc the second.
#include <map>
#include <numeric>
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
  for (const auto& [p, utterances] : {std::pair(draw.uniform(0.2, 0.4), int64_t{2}),
                                      {draw.uniform(0.6, 0.8), int64_t{5}},
                                      {draw.uniform(0.0033, 0.0037), int64_t{3}}}) {
    const Insertion in(utterances);
    int64_t counts[3] = {0, 0, 0};
    for (int64_t i = 0; i < kInsertions; ++i) {
      const auto extra = insert_random(in.example, in.pool, p, draw.rng()).context.size() -
                         in.example.context.size();
      if (extra > 2) return expect(false, "at most two utterances are inserted, here more were.");
      ++counts[extra];
    }
    const auto fits = [&, p = p](double none, double one) {
      return as_likely(counts[0], none) && as_likely(counts[1], one) &&
             (as_likely(counts[2], std::max(0.0, 1 - none - one)) || (p < 0.01 && counts[2] < 9));
    };
    const double q = 1 - p;
    if (fits(q * q, 2 * p * q)) continue;
    return expect(
        false,
        text("with p = ", p, " none, one and two distractions came ", counts[0], ", ", counts[1],
             " and ", counts[2], " times of ", kInsertions, ", expected about ",
             std::lround(q * q * kInsertions), ", ", std::lround(2 * p * q * kInsertions), " and ",
             std::lround(p * p * kInsertions), ". ",
             p < 0.01 ? "A small p counts, too: rng.uniform() is compared with p as it is, and "
                        "not with p in whole hundredths."
             : *std::max_element(counts, counts + 3) == kInsertions
                 ? "Always as many: `rng` itself is to be drawn from, and no copy that "
                   "begins anew each time."
             : fits(p * p, 2 * p * q) ? "That is what 1 - p would give."
             : fits(q, 0)             ? "Both or none: each has a chance of its own."
             : fits(q, p * q)         ? "If the first is not inserted, the second never is."
             : fits(q, p)             ? "There is never more than one."
                                      : "Each of the two is inserted with probability p."));
  }
  for (const bool rarely : {true, false}) {  // so near to 0 and 1 that there is no exception
    const Insertion in(2);
    for (int64_t i = 0; i < kInsertions; ++i) {
      const Example e = insert_random(in.example, in.pool, rarely ? 1e-10 : 1 - 1e-10, draw.rng());
      const auto extra = std::ssize(e.context) - std::ssize(in.example.context);
      if (extra == (rarely ? 0 : 2)) continue;
      return expect(false, text("with p = ", rarely ? "1e-10 " : "1 - 1e-10 ", extra,
                                " of two distractions came, in dialogue ", i, " of ", kInsertions,
                                ": rng.uniform() is compared with p itself, and with nothing that "
                                "is only near it."));
    }
  }
  for (const int64_t utterances : {draw.between(2, 5), int64_t{1}}) {
    const Insertion in(utterances);
    for (const double sure : {0.0, 1.0}) {
      if_stopped(
          sure == 0
              ? "With p = 0 no utterance is drawn: the pool may have none for this dialogue."
              : "The context is longer by one only where the first distraction was inserted.");
      const Example e = insert_random(in.example, sure == 0 ? Pool() : in.pool, sure, draw.rng());
      expect(e.context.size() == in.example.context.size() + (sure == 1 ? 2 : 0),
             "with p = 0 nothing is inserted, with p = 1 two utterances are, also before a query "
             "that has no history.");
    }
  }
}

// Of many places the first and the last one come as often as others.
void check_a_long_history(Rng& rng) {
  constexpr int64_t kUtterances = 1000, kDialogues = 20000;
  const Insertion in(kUtterances);
  Example e = in.example;
  int64_t first = 0, last = 0;
  for (int64_t i = 0; i < kDialogues; ++i) {
    e = insert_random(std::move(e), in.pool, 1, rng);
    if (std::ssize(e.distraction) != kUtterances + 2)
      return expect(false, "with p = 1 two are inserted.");
    first += e.distraction[0];
    last += e.distraction[kUtterances];
    for (int64_t k = kUtterances; k >= 0; --k) {  // without them it is as it was
      if (!e.distraction[k]) continue;
      e.distraction.erase(e.distraction.begin() + k);
      e.context.erase(e.context.begin() + k);
    }
    e.unknown = in.example.unknown;
  }
  constexpr double kLikely = 2.0 * kDialogues / kUtterances;
  for (const int64_t count : {first, last}) {
    expect(std::fabs(static_cast<double>(count) - kLikely) < kLikely,  // which is six deviations
           text("of ", kDialogues, " dialogues of ", kUtterances, " utterances ", count,
                " had a distraction ",
                count == first ? "before all of them" : "directly before the query",
                ", expected about ", kLikely, ": every place is as likely as the others."));
  }
}

// Which utterance is inserted says nothing about the place of it, nor of the other one.
void check_independence(Draw& draw) {
  const int64_t size = draw.between(5, 7);
  Insertion in(size);
  in.pool = {};
  for (int32_t k = 0; k < size; ++k) in.pool.push_back({"another", {1000 + k}});
  // [place][utterance]: of one that is alone; else of each of two, with the places of both.
  std::vector<std::vector<std::vector<double>>> times(
      5, {static_cast<size_t>(size) + 2, std::vector<double>(size)});
  for (int64_t i = 0; i < 2 * kInsertions; ++i) {
    const Example e = insert_random(in.example, in.pool, 0.5, draw.rng());
    std::vector<size_t> at;
    for (size_t k = 0; k < e.distraction.size(); ++k) {
      if (e.distraction[k]) at.push_back(k);
    }
    if (at.size() > 2) return expect(false, "at most two utterances are inserted, here more were.");
    size_t table = at.size() == 1 ? 0 : 1;
    for (const size_t place : at) {
      for (const size_t k : at) ++times[table++][place][e.context[k][0] - 1000];
    }
  }
  for (const auto& table : times) {
    double squares = 0, free = 0;  // of as many standard normal numbers
    for (const std::vector<double>& of_place : table) {
      const double all = std::accumulate(of_place.begin(), of_place.end(), 0.0);
      const double likely = all / static_cast<double>(size);
      if (all == 0) continue;
      for (const double count : of_place) squares += (count - likely) * (count - likely) / likely;
      free += static_cast<double>(size - 1);
    }
    if (squares < free + 8 * std::sqrt(2 * free)) continue;
    return expect(false,
                  "which utterance is inserted and where are not independent: the same numbers "
                  "serve twice. Every draw is from `rng` itself, and from no copy of it.");
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
  int64_t adjacent = 0;
  for (int64_t i = 0; i < kInsertions; ++i) {
    const Example e = insert_random(in.example, in.pool, 1, draw.rng());
    if (std::ssize(e.distraction) != size + 2) return expect(false, "with p = 1 two are inserted.");
    if (e.distraction.back()) {
      return expect(false, "the last utterance of the context, the query, stays the last.");
    }
    for (int64_t k = 0; k <= size; ++k) {
      at[k] += e.distraction[k];
      adjacent += e.distraction[k] && e.distraction[k + 1];
    }
  }
  if (fits(at, places(size, [&](int64_t i, Rng& rng) { return rng.below(size + i); }))) {
    const double likely = 2.0 / static_cast<double>(size + 1);
    expect(as_likely(adjacent, likely),
           text(adjacent, " of ", kInsertions,
                " pairs of distractions have no utterance between them; expected about ",
                std::lround(likely * kInsertions),
                ": the second is put anywhere in the context as it is then, beside the first one "
                "or not."));
    if (!testing::Test::HasFailure()) check_a_long_history(draw.rng());
    if (!testing::Test::HasFailure()) check_independence(draw);
    return;
  }
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

// What is inserted, in 200 dialogues.
void check_what_is_drawn(const Insertion& in) {
  std::map<std::vector<int32_t>, int64_t> times;
  int64_t all = 0, alike = 0, unlike = 0;  // of the two of one dialogue
  for (int64_t i = 0; i < 200; ++i) {
    Rng rng(seed(), "utterances", i);
    const Example e = insert_random(in.example, in.pool, 1, rng);
    std::vector<std::vector<int32_t>> drawn;
    for (size_t k = 0; k < e.context.size(); ++k) {
      if (e.distraction[k]) drawn.push_back(e.context[k]);
    }
    for (const auto& utterance : drawn) ++times[utterance], ++all;
    ++(drawn.front() == drawn.back() ? alike : unlike);
  }
  const auto n = std::ssize(in.example.context);
  expect(std::ssize(times) == n,
         text("of ", n, " utterances of another dialogue that the pool has, ", times.size(),
              " came in 200 dialogues: each time one is drawn anew."));
  expect(unlike > 0,
         "both distractions of a dialogue are always the same utterance: each is drawn.");
  expect(alike > 0,
         "both distractions of a dialogue are never the same utterance: each is drawn from all, "
         "whatever the other one is.");
  if (testing::Test::HasFailure()) return;
  const double likely = static_cast<double>(all) / static_cast<double>(n);
  for (const auto& [utterance, count] : times) {
    if (std::fabs(static_cast<double>(count) - likely) < 6 * std::sqrt(likely)) continue;
    return expect(false, text("of ", all, " inserted utterances one of ", n, " came ", count,
                              " times: each is as likely as the others."));
  }
}

LAB_CHECK(TheRestStaysAsItWas) {
  LAB_AFTER(InsertsAsOftenAsItShould);
  Draw draw;
  const Insertion in(draw.between(2, 5));
  for (int64_t i = 0; i < 200; ++i) {
    Rng rng(seed(), "insertion", i), again(seed(), "insertion", i);
    const Example e = insert_random(in.example, in.pool, 0.7, rng);
    std::vector<std::vector<int32_t>> rest;
    for (size_t k = 0; k < e.context.size(); ++k) {
      if (!e.distraction[k]) rest.push_back(e.context[k]);
      if (e.distraction[k] && e.context[k][0] < 1000) {
        return expect(
            false,
            "a dialogue was distracted by an utterance of its own: that is none. draw_foreign() "
            "knows whose an utterance is.");
      }
    }
    if (rest != in.example.context || e.response != in.example.response || e.id != in.example.id ||
        e.dialogue_id != in.example.dialogue_id || e.characters.all != in.example.characters.all ||
        e.characters.unknown != in.example.characters.unknown) {
      return expect(false, "without what is flagged, a dialogue has to be what it was before.");
    }
    if (e.unknown.size() != e.context.size() - rest.size()) {
      return expect(
          false,
          "words of an inserted utterance that are unknown are lost: an Utterance is more "
          "than its tokens, and insert_utterance() knows of it.");
    }
    if (insert_random(in.example, in.pool, 0.7, again).context != e.context) {
      return expect(false, "the same Rng gave other distractions: all is a function of it.");
    }
  }
  check_what_is_drawn(in);
}

}  // namespace
}  // namespace heed::lab
