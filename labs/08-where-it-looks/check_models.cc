// Lab 8, second part: models are measured, and compared with the reference cases.
#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/verify.h"
#include "labs/07-attention/dialogues.h"
#include "labs/08-where-it-looks/output.h"
#include "labs/08-where-it-looks/summary.h"
#include "nn/init.h"

namespace heed::lab {
namespace {

// A model with weights that are wide enough for attention that is far from even.
LstmResponder draw_model(Draw& draw) {
  const auto names = structures(Family::kLstm);
  const Structure structure = names[draw.between(0, std::ssize(names) - 1)];
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
