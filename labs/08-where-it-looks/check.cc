// Lab 8: where does it look. Attention is made here, so that scores can be judged without a model;
// check_models.cc has what measures test sets and models.
#include <numeric>

#include "dialog/respond/das.h"
#include "labs/07-attention/dialogues.h"
#include "labs/08-where-it-looks/output.h"

namespace heed::lab {
namespace {

// ---- task: rows

LAB_CHECK(RowsOfTheMemory) {
  Draw draw;
  for (const Example& e : dialogues_of_all_shapes(draw)) {
    for (const MemoryOf of : {MemoryOf::kUtterances, MemoryOf::kTokens}) {
      const std::vector<int64_t> rows = rows_of_utterances(e, of);
      std::vector<double> want;
      for (size_t k = 0; k < rows.size(); ++k) {
        want.insert(want.end(), rows[k], static_cast<double>(k));
      }
      const std::vector<int> got = utterance_of_row(e, std::ssize(want));
      const auto closings = std::ssize(e.context);
      if (of == MemoryOf::kTokens && std::ssize(got) == std::ssize(want) - closings) {
        return expect(false,
                      text(closings, " rows are missing of ", want.size(),
                           ": every utterance is closed by its <eou>, which has a row too."));
      }
      expect_close(of == MemoryOf::kTokens ? "the utterance of each token's row"
                                           : "the utterance of each row, one for each",
                   numbers({got.begin(), got.end()}), numbers(want),
                   {.law = "a memory has either a row for each utterance, or one for each token "
                           "and each <eou>; the number of rows tells which"});
      if (testing::Test::HasFailure()) return;
    }
  }
}

LAB_CHECK(SharesOfEvenAttention) {
  Draw draw;
  for (const Example& e : dialogues_of_all_shapes(draw)) {
    for (const MemoryOf of : {MemoryOf::kUtterances, MemoryOf::kTokens}) {
      const std::vector<int64_t> rows = rows_of_utterances(e, of);
      const auto m = std::accumulate(rows.begin(), rows.end(), int64_t{0});
      std::vector<double> want;
      for (const int64_t of_one : rows) {
        want.push_back(static_cast<double>(of_one) / static_cast<double>(m));
      }
      const double q = static_cast<double>(rows.size());
      expect_close("what each utterance gets", numbers(even_attention(e, m)), numbers(want),
                   {.tolerance = kExact,
                    .suspects = {{"the same for each utterance: with a memory of tokens a long one "
                                  "gets more",
                                  Tensor::full({std::ssize(rows)}, 1 / q, DType::f64)}},
                    .law = "if every row gets the same, an utterance gets what its rows get; in "
                           "all it is 1"});
      if (testing::Test::HasFailure()) return;
    }
  }
}

// ---- task: means

LAB_CHECK(MeansOfADialogue) {
  Draw draw;
  const int64_t q = draw.between(7, 10);
  std::vector<double> as(q);
  for (double& score : as) score = draw.uniform(0.2, 2);
  std::vector<char> flags(q);
  for (char& flag : flags) flag = static_cast<char>(draw.between(0, 1));
  flags[0] = flags[2] = 1;
  flags[1] = flags[3] = 0;
  as[4] = 0;  // which is a score like any other
  const DialogueMeans got = dialogue_means(as, flags);
  expect_number("D", got.distraction, mean_of(scores_of(as, flags, true)),
                {{"a mean with the query in it: it is no part of the history, whatever its flag",
                  mean_of(scores_of(as, flags, true, true))}},
                "D is the mean score of the flagged utterances of the history");
  expect_number("H", got.history, mean_of(scores_of(as, flags, false)),
                {{"a mean with the query in it: it is no part of the history",
                  mean_of(scores_of(as, flags, false, true))},
                 {"the mean over the whole history, distractions included",
                  mean_of({as.begin(), as.end() - 1})}},
                "H is the mean score of the original utterances of the history");
}

LAB_CHECK(RatioOfADialogue) {
  Draw draw;
  for (int64_t i = draw.between(1, 5); i > 0; --i) {
    const double d = draw.uniform(0.2, 2), h = draw.uniform(0.2, 2);
    expect_number("D / H", das_ratio({d, h}), d / h,
                  {{"H / D", h / d}, {"the difference", d - h}, {"D / (D + H)", d / (d + h)}},
                  "D / H as they are: nothing is added to H");
    expect_number("the ratio of D = 0", das_ratio({0.0, h}), 0.0);
    expect_number("the ratio over a small H", das_ratio({d, 1e-9 * h}), d / (1e-9 * h), {},
                  "D / H as they are: nothing is added to H, and nothing is cut");
  }
}

LAB_CHECK(UndefinedStaysUndefined) {
  LAB_AFTER(MeansOfADialogue);
  Draw draw;
  const int64_t q = draw.between(2, 6);
  std::vector<double> as(q);
  for (double& score : as) score = draw.uniform(0.2, 2);
  std::vector<char> flags(q, 0);
  const std::optional<double> none;
  expect_number("H of a query and one utterance before it",
                dialogue_means({as[0], 1}, {0, 0}).history, as[0], {},
                "the utterance before the query is a history");
  expect_number("D of a query and one distraction before it",
                dialogue_means({as[0], 1}, {1, 0}).distraction, as[0], {},
                "the utterance before the query is a history");
  expect_number("D of a dialogue without a distraction", dialogue_means(as, flags).distraction,
                none);
  expect_number("H of a dialogue without a distraction", dialogue_means(as, flags).history,
                mean_of(scores_of(as, flags, false)), {}, "D may be undefined, and H is there");
  flags.back() = 1;
  expect_number("D where only the query is flagged", dialogue_means(as, flags).distraction, none);
  flags.assign(q, 1);
  flags.back() = 0;
  expect_number("H of a dialogue in whose history all is flagged",
                dialogue_means(as, flags).history, none);
  expect_number("D of a dialogue in whose history all is flagged",
                dialogue_means(as, flags).distraction, mean_of(scores_of(as, flags, true)), {},
                "H may be undefined, and D is there");
  expect_number("H of a query alone", dialogue_means({as[0]}, {0}).history, none);
  for (const bool flag : {false, true}) {  // an utterance that gets nothing
    const DialogueMeans nothing = dialogue_means({0, 1}, {flag, 0});
    expect_number(text(flag ? "D" : "H", " of one utterance whose score is 0"),
                  flag ? nothing.distraction : nothing.history, 0.0, {},
                  "0 is a score like any other: what is there has a mean");
  }
  expect_number("the ratio without D", das_ratio({none, as[0]}), none);
  expect_number("the ratio without H", das_ratio({as[0], none}), none);
  expect_number("the ratio over H = 0", das_ratio({as[0], 0.0}), none);
  if_stopped("A model without attention has no scores: of none both means are undefined.");
  expect_number("D where there are no scores", dialogue_means({}, flags).distraction, none);
  expect_number("H where there are no scores", dialogue_means({}, flags).history, none);
}

// ---- task: scores

// The scores of an example's heads, each with a trace of its own.
void check_heads(Draw& draw, Output o) {
  const std::vector<DialogueScore> without = scored(o);
  const std::vector<std::pair<int, int>> layers_and_heads = {{1, 2}, {2, 1}, {2, 2}, {7, 9}};
  std::vector<Tensor> as;
  for (const auto& [layer, head] : layers_and_heads) {
    o.draw_weights(draw, Output::kStepByStep);
    o.taught.heads.push_back({layer, head, o.trace(Output::kStepByStep)});
    as.push_back(o.as());
  }
  const std::string law =
      "means of a head's own scores, those of the example that batch.order leads to";
  const std::vector<DialogueScore> scores = scored(o);
  size_t at = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i].heads.size() != as.size())
      return expect(false, "a model of four heads has four in `heads`, of whatever layers.");
    expect(scores[i].as_scores == without[i].as_scores,
           "what heads look at is theirs: as_scores are those of taught.attention.");
    const std::vector<char>& flags = o.examples[i].distraction;
    for (size_t k = 0; k < as.size(); ++k) {
      const std::vector<double> all = as[k].to_vector();
      const auto first = all.begin() + static_cast<ptrdiff_t>(at);
      const std::vector<double> of_head(first, first + std::ssize(flags));
      const auto& head = scores[i].heads[k];
      expect(std::pair(head.layer, head.head) == layers_and_heads[k],
             "layer and head are those of the trace.");
      expect_number("D of a head", head.means.distraction, mean_of(scores_of(of_head, flags, true)),
                    {}, law);
      expect_number("H of a head", head.means.history, mean_of(scores_of(of_head, flags, false)),
                    {}, law);
    }
    at += flags.size();
  }
}

const char* const kOrder =
    "was an index past an end? Dialogue b of the batch has packing.length(b) steps and "
    "segments.length(b) rows; batch.order[b] is its place among the examples, and "
    "packing.row(t, b) is given the step first.";

// What a model puts out is f32.
void check_f32(const Output& o) {
  if_stopped("A model's numbers are f32, and may be f64: to_vector() reads both.");
  Output small = o;
  small.taught.nll = o.taught.nll.to(DType::f32);
  const Tensor w = o.taught.attention.weights().value();
  std::vector<int64_t> steps;
  for (int64_t b = 0; b < o.dialogues(); ++b) steps.push_back(o.steps(b));
  small.taught.attention =
      AttentionTrace::dialogue_by_dialogue(Var(w.to(DType::f32)), o.batch.memory.segments, steps);
  for (const auto member : {&DialogueScore::as_scores, &DialogueScore::nll}) {
    expect_close("scores of an output of f32", all_of(scored(small), member),
                 all_of(scored(o), member),
                 {.tolerance = {.relative = 1e-5, .absolute = 1e-6}, .law = "the same in f32"});
  }
}

LAB_CHECK(AttentionScores) {
  Draw draw;
  if_stopped(kOrder);
  for_each_output(draw, [](const Output& o) {
    expect_close(
        "the attention scores of all utterances", all_of(scored(o), &DialogueScore::as_scores),
        o.as(),
        {.tolerance = kExact,
         .suspects =
             {{"an utterance's share of the attention, not divided by what even attention "
               "would give it",
               o.as(Mistake::kShares)},
              {"q times the sum over the rows: then long utterances score high. See Eq. 7 "
               "in docs/paper.md",
               o.as(Mistake::kSumsOverTokens)},
              {"that of the first step; it is the mean over all steps", o.as(Mistake::kOneStep)},
              {"the sum over the steps, not their mean", o.as(Mistake::kSumOverSteps)},
              {"made with one row of each utterance in one step: assigned where weights are "
               "to be added",
               o.as(Mistake::kLastRow)}},
         .law = "the share of an utterance, meaned over the steps, over even_attention()"});
  });
  if (testing::Test::HasFailure()) return;
  Output sharp(draw, MemoryOf::kTokens, Output::kStepByStep, /*even=*/false, /*more_steps=*/20);
  for (Rows& steps : sharp.weights) {
    for (std::vector<double>& w : steps) {
      std::fill(w.begin(), w.end(), 0.0);
      w.back() = 1;
    }
  }
  sharp.taught.attention = sharp.trace(Output::kStepByStep);
  expect_close("the attention scores where a short query, after a long utterance, gets all",
               all_of(scored(sharp), &DialogueScore::as_scores), sharp.as(),
               {.tolerance = kExact,
                .law = "a score may be as large as the number of rows, and 0: nothing is cut"});
  const auto other = [&] { return Output(draw, MemoryOf::kTokens, Output::kDialogueByDialogue); };
  Output o = other();  // the trace of all heads stands in another way than those of single ones
  while (std::is_sorted(o.batch.order.begin(), o.batch.order.end())) o = other();
  if (!testing::Test::HasFailure()) check_heads(draw, o);
  if (!testing::Test::HasFailure()) check_f32(o);
}

LAB_CHECK(EvenAttentionGivesOne) {
  LAB_AFTER(AttentionScores);
  Draw draw;
  for (const MemoryOf of : {MemoryOf::kTokens, MemoryOf::kUtterances}) {
    const Output o = draw_output(draw, of, /*even=*/true);
    const Tensor got = all_of(scored(o), &DialogueScore::as_scores);
    expect_close(
        of == MemoryOf::kTokens ? "scores of even attention on tokens" : "scores of even attention",
        got, Tensor::full(got.shape(), 1, DType::f64),
        {.tolerance = kExact,
         .law = "1 is what an utterance gets if the model looks nowhere in particular, "
                "however long it is"});
  }
}

LAB_CHECK(ScoresAddUpToQ) {
  LAB_AFTER(AttentionScores);
  Draw draw;
  const Output o = draw_output(draw, MemoryOf::kUtterances);
  std::vector<double> sums, q;
  for (const DialogueScore& s : scored(o)) {
    sums.push_back(sum_of(s.as_scores));
    q.push_back(static_cast<double>(s.as_scores.size()));
  }
  expect_close("the sum of each dialogue's scores", numbers(sums), numbers(q),
               {.tolerance = kExact,
                .suspects = {{"1: these are shares", Tensor::full({std::ssize(q)}, 1, DType::f64)}},
                .law = "with a row for each of q utterances the weights add up to 1, so the scores "
                       "add up to q"});
}

LAB_CHECK(ScoresComeInTheOrderOfTheExamples) {
  Draw draw;
  if_stopped(kOrder);
  const auto drawn = [&] {  // with weights that differ between steps
    const auto layout = draw.between(Output::kStepByStep, Output::kDialogueByDialogue);
    return Output(draw, MemoryOf::kTokens, static_cast<Output::Layout>(layout));
  };
  Output o = drawn();
  while (std::is_sorted(o.batch.order.begin(), o.batch.order.end())) o = drawn();
  const std::vector<DialogueScore> scores = scored(o, /*with_attention=*/true);
  if (scores.size() != o.examples.size()) return expect(false, "one score for each example.");
  for (size_t i = 0; i < scores.size(); ++i) {
    const Example& e = o.examples[i];
    const bool of_another = std::any_of(o.examples.begin(), o.examples.end(), [&](const auto& x) {
      return x.id == scores[i].id && x.id != e.id;
    });
    if (of_another || scores[i].id.empty()) {
      return expect(false, text("example ", i, " is ", e.id, ", its score says '", scores[i].id,
                                "': results stand in the order of the examples, and not "
                                "of the batch; batch.order leads from one to the other."));
    }
    expect(scores[i].id == e.id,
           text("the id of ", e.id, " is '", scores[i].id, "' in its score: it is Example::id."));
    expect(scores[i].distraction == e.distraction,
           text("the flags of ", e.id, " are those of its score, as they are, the query's, too."));
  }
  if (testing::Test::HasFailure()) return;
  std::vector<std::vector<double>> nll(o.examples.size());
  for (int64_t b = 0; b < o.dialogues(); ++b) {
    for (int64_t t = 0; t < o.steps(b); ++t) {
      nll[o.batch.order[b]].push_back(
          o.taught.nll.data<double>()[o.batch.response.packing.row(t, b)]);
    }
  }
  for (size_t i = 0; i < nll.size(); ++i) {
    expect_close("nll of " + o.examples[i].id, numbers(scores[i].nll), numbers(nll[i]),
                 {.tolerance = kExact,
                  .law = "the rows of a packed batch stand step after step: "
                         "batch.response.packing.row(t, b)"});
    if (testing::Test::HasFailure()) return;
    const bool all = std::ssize(scores[i].attention) == std::ssize(nll[i]);
    expect(all, "the attention of each step was asked for.");
    const auto &got = scores[i].characters, &want = o.examples[i].characters;
    expect(got.all == want.all && got.unknown == want.unknown,
           "the characters of an example are its score's, too.");
    const DialogueScore& s = scores[i];
    const auto d = mean_of(scores_of(s.as_scores, s.distraction, true)),
               h = mean_of(scores_of(s.as_scores, s.distraction, false));
    const auto over = [](const auto& top, const auto& bottom) {
      return top && bottom && *bottom != 0 ? std::optional(*top / *bottom) : std::nullopt;
    };
    expect_number("das_ratio of " + s.id, s.das_ratio, over(d, h), {{"H / D", over(h, d)}},
                  "the ratio of its means, of its own scores and flags");
  }
  for (int64_t b = 0; b < o.dialogues() && !testing::Test::HasFailure(); ++b) {
    const auto& attention = scores[o.batch.order[b]].attention;
    for (int64_t t = 0; t < o.steps(b); ++t) {
      expect_close("the attention of a step", numbers(attention[t]), numbers(o.weights[b][t]),
                   {.tolerance = kExact, .law = "a weight for each memory row of the dialogue"});
    }
  }
  for (const DialogueScore& s : scored({draw, MemoryOf::kTokens, Output::kSame}, true)) {
    expect(s.attention.size() == s.nll.size(),
           "the attention of each step was asked for, also where it is the same in all.");
  }
  const std::vector<DialogueScore> brief = scored(o);
  for (size_t i = 0; i < brief.size(); ++i) {
    const DialogueScore &a = brief[i], &b = scores[i];
    expect(a.attention.empty(), "the attention was not asked for, and takes memory.");
    expect(a.nll == b.nll && a.as_scores == b.as_scores && a.das_ratio == b.das_ratio,
           "where the attention is not asked for, all else is as where it is.");
  }
  if_stopped("A model without attention has no trace: taught.attention.empty().");
  o.taught.attention = {};
  const std::vector<DialogueScore> without = scored(o);
  for (size_t i = 0; i < nll.size(); ++i) {
    expect(without[i].nll == scores[i].nll && without[i].as_scores.empty() && !without[i].das_ratio,
           "without attention a dialogue has its nll, and neither scores nor a ratio.");
  }
}

LAB_CHECK(LossOfEachStep) {
  Draw draw;
  for_each_output(draw, check_loss_of_each_step);
}

}  // namespace
}  // namespace heed::lab
