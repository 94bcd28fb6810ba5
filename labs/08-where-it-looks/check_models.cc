// Lab 8, second part: test sets are summarized; models are measured, and compared with the
// reference cases.
#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/verify.h"
#include "labs/07-attention/dialogues.h"
#include "labs/08-where-it-looks/output.h"
#include "labs/08-where-it-looks/summary.h"
#include "nn/init.h"

namespace heed::lab {
namespace {

// ---- task: summarize

LAB_CHECK(SummaryOfATestSet) {
  Draw draw;
  const std::vector<DialogueScore> scores = draw_scores(draw, /*distractions=*/true);
  expect_summary(scores);
  if (testing::Test::HasFailure()) return;
  expect_summary(
      {scores.begin() + 1, scores.end()});  // one dialogue less: once their number is even
  if (!testing::Test::HasFailure()) expect_summary({scores[0], scores[2], scores[6]});  // one has D
}

LAB_CHECK(SummaryWithoutDistractions) {
  Draw draw;
  std::vector<DialogueScore> scores = draw_scores(draw, /*distractions=*/false);
  expect_summary(scores);
  for (DialogueScore& s : scores) s.characters.unknown = 0;  // all words are known
  if (!testing::Test::HasFailure()) expect_summary(scores);
  const ScoreSummary none = summarize({});
  for (const auto& value : {none.das_ratio, none.mean_das_ratio, none.median_das_ratio,
                            none.as_distraction, none.as_history, none.as_first, none.as_last}) {
    expect_number("a mean over no dialogue", value, std::nullopt);
  }
  expect_number("the perplexity of no dialogue", none.perplexity, 1.0, {},
                "e^0, whatever was summarized before");
  expect_number("the bits of no character", none.bits_per_character, std::nullopt);
  expect_number("the share of unknown characters of none", none.unknown_characters, 0.0);
  std::vector<DialogueScore> blind = draw_scores(draw, /*distractions=*/true);
  Summary want;
  const ScoreSummary sighted = summarize(blind);
  for (DialogueScore& s : blind) {
    want.add(s.as_scores, s.distraction);
    s.as_scores.clear();
    s.das_ratio.reset();
  }
  const ScoreSummary of_blind = summarize(blind);
  expect(of_blind.dialogues == sighted.dialogues && of_blind.perplexity == sighted.perplexity,
         "dialogues, tokens and nll count without attention, too.");
  expect(of_blind.distracted == std::ssize(want.d),
         "a model without attention has no scores, and its dialogues are distracted all the same: "
         "the flags tell.");
}

void check_heads_of(Draw& draw, std::vector<DialogueScore> scores) {
  const std::vector<std::pair<int, int>> heads = {{1, 1}, {1, 2}, {2, 1}, {7, 9}};
  std::vector<Summary> want(heads.size());
  for (DialogueScore& s : scores) {
    for (size_t i = 0; i < heads.size(); ++i) {
      std::vector<double> as(s.as_scores.size());
      for (double& score : as) score = draw.uniform(0.1, 2);
      s.heads.push_back({heads[i].first, heads[i].second, dialogue_means(as, s.distraction)});
      want[i].add(as, s.distraction);
    }
  }
  const ScoreSummary got = summarize(scores);
  if (got.heads.size() != heads.size())
    return expect(false, "every head has a summary of its own.");
  for (size_t i = 0; i < heads.size(); ++i) {
    const HeadSummary& head = got.heads[i];
    expect(head.layer == heads[i].first && head.head == heads[i].second,
           "a summary says of which head of which layer it is.");
    const std::string of_the_first = "that of the first head";
    const std::string law =
        "as in summarize(), of this head's own means: a dialogue without a history counts for "
        "nobody, not as 0 either";
    expect_number("das_ratio of a head", head.das_ratio, want[i].das_ratio(),
                  {{of_the_first, want[0].das_ratio()}}, law);
    expect_number("as_distraction of a head", head.as_distraction, want[i].as_distraction(),
                  {{of_the_first, want[0].as_distraction()}}, law);
    expect_number("as_history of a head", head.as_history, want[i].as_history(),
                  {{of_the_first, want[0].as_history()},
                   {"the mean over all dialogues with a history", mean_of(want[i].h_all)}},
                  law);
  }
}

LAB_CHECK(SummaryOfHeads) {
  Draw draw;
  for (const bool distractions : {true, false})
    check_heads_of(draw, draw_scores(draw, distractions));
}

// A model with weights that are wide enough for attention that is far from even.
LstmResponder draw_model(Draw& draw) {
  const auto names = structures(Family::kLstm);
  const Structure& structure = names[draw.between(0, std::ssize(names) - 1)];
  LstmResponder model(small_config(structure.name, kVocabulary, 6), seed());
  init_again_uniform(model, -1, 1, seed());
  convert(model, DType::f64);
  return model;
}

LAB_CHECK(BatchesDoNotMatter) {
  Draw draw;
  LstmResponder model = draw_model(draw);
  const std::vector<Example> examples = draw_examples(draw, 9);
  const std::vector<DialogueScore> alone = score(model, examples, 1);
  for (const int64_t size : {2, 4, 9}) {
    const std::vector<DialogueScore> together = score(model, examples, size);
    for (const auto member :
         {&DialogueScore::as_scores, &DialogueScore::nll, &DialogueScore::attention_loss}) {
      expect_close(text("scores in batches of ", size), all_of(together, member),
                   all_of(alone, member),
                   {.tolerance = kExact,
                    .law = "a dialogue's numbers must not depend on those beside it",
                    .want = "yours, each alone",
                    .got = "yours, in batches"});
    }
  }
}

LAB_CHECK(VerifyFiveStructures) {
  for (const Structure& structure : structures(Family::kLstm)) {
    const std::string name(structure.name);
    for (const VerifyRow& row :
         verify_case(HEED_SOURCE_DIR "/tests/reference/" + name, DType::f64)) {
      if (row.ok()) continue;
      return expect(false, text(name, ", ", row.kind, ": ", row.worst, " (off by ", row.max_error,
                                " of it, allowed ", row.tolerance,
                                "). The other program, in PyTorch, has what docs/paper.md says."));
    }
  }
}

// The numbers of a model on a test set, once more from its attention alone.
LAB_CHECK(NumbersOfAModel) {
  Draw draw;
  LstmResponder model = draw_model(draw);
  const std::vector<Example> plain = draw_examples(draw, 8);
  Pool pool;
  for (const Example& e : plain) pool.push_back({e.dialogue_id, e.context[0]});
  const std::vector<Example> examples =
      distracted(plain, parse_test_set("random:1.0"), pool, {}, seed());
  Summary want;
  double nll = 0, tokens = 0;
  for (const Example& e : examples) {
    const NoGrad guard;
    const Batch batch = make_batch({&e}, model.parts());
    const Taught out = model.teach(batch);
    const std::vector<double> all = out.attention.weights().value().to_vector();
    const int64_t count = batch.memory.segments.length(0);
    Rows rows;
    for (int64_t t = 0; t < batch.response.packing.steps(); ++t) {
      const auto first = all.begin() + out.attention.at(0, t);
      rows.emplace_back(first, first + count);
    }
    want.add(as_by_loops(e, model.parts().memory, rows), e.distraction);
    for (const double one : out.nll.to_vector()) nll += one;
    tokens += static_cast<double>(out.nll.numel());
  }
  const ScoreSummary got = summarize(score(model, examples, 3));
  expect_number("das_ratio", got.das_ratio, want.das_ratio());
  expect_number("as_distraction", got.as_distraction, want.as_distraction());
  expect_number("as_history", got.as_history, want.as_history());
  expect_number("mean_das_ratio", got.mean_das_ratio, mean_of(want.ratios));
  expect_number("perplexity", got.perplexity, std::exp(nll / tokens));
}

}  // namespace
}  // namespace heed::lab
