#include "dialog/respond/models/two_vocabulary.h"

#include <algorithm>

#include "autograd/discrete.h"
#include "autograd/ops.h"
#include "dialog/respond/stepwise.h"

namespace heed {
namespace {

// Of e_d, h_dom and e_s.
int64_t label_size(const ModelConfig& c) {
  return std::max<int64_t>(c.embedding_size / 4, 1);
}

// A row for each value; a table has at least one.
int64_t rows_of(const Condition& condition) {
  return std::max<int64_t>(std::ssize(condition.values), 1);
}

int64_t generic_words(const ModelConfig& c) {
  return c.generic_words > 0 ? c.generic_words : c.vocab_size;
}

// The mean of the table's rows of each dialogue's values of this kind, (B, width), as a product
// with a matrix of shares; 0 of a dialogue without one.
Var mean_of_values(const Batch& batch, size_t kind, const Embedding& table) {
  const Var& rows = table.weight;
  const int64_t count = rows.shape()[0];
  std::vector<double> shares(batch.size * count);
  if (kind < batch.conditions.size()) {
    const ConditionBatch& condition = batch.conditions[kind];
    const std::vector<int32_t> ids = condition.ids.to_ints();
    for (int64_t b = 0; b < batch.size; ++b) {
      const auto length = static_cast<double>(condition.segments.length(b));
      for (int64_t i = condition.segments.begin(b); i < condition.segments.end(b); ++i) {
        check_internal(ids[i] < count, "a condition is one of the model's values");
        shares[b * count + ids[i]] += 1 / length;
      }
    }
  }
  const Tensor of_values = Tensor::from(shares, Shape{batch.size, count});
  return matmul(of_values.to(rows.dtype()).to(rows.device()), rows);
}

class TwoVocabularyResponder : public StepwiseResponder {
 public:
  explicit TwoVocabularyResponder(const ModelConfig& c)
      : StepwiseResponder(c),
        embedding_(c.vocab_size, c.embedding_size),
        reader_(c.embedding_size, c.hidden_size,
                {.layers = c.num_layers, .bias = c.lstm_bias, .bidirectional = true}),
        text_(2 * c.hidden_size, c.hidden_size, /*with_bias=*/false),
        domain_(rows_of(c.domain), label_size(c)),
        domain_1_(label_size(c), c.hidden_size, /*with_bias=*/false),
        domain_2_(c.hidden_size, label_size(c), /*with_bias=*/false),
        sentiment_(rows_of(c.sentiment), label_size(c)),
        decoder_(c.embedding_size + label_size(c), c.hidden_size,
                 {.layers = c.num_layers, .bias = c.lstm_bias}),
        output_(c.hidden_size, c.vocab_size, c.vocab_size - generic_words(c), c.gate_on_logits) {
    for (int64_t l = 0; l < c.num_layers; ++l) {
      start_.emplace_back(c.hidden_size + label_size(c), c.hidden_size, /*with_bias=*/false);
    }
  }

  void visit(Visitor& v) override {
    v("encoder.embedding", embedding_);
    v("encoder.lstm", reader_);
    v("encoder.text", text_);
    v("domain.embedding", domain_);
    v("domain.first", domain_1_);
    v("domain.second", domain_2_);
    v("decoder.start", start_);
    v("decoder.sentiment", sentiment_);
    v("decoder.lstm", decoder_);
    v("decoder.output", output_);
  }

  BatchParts parts() const override { return {.memory = MemoryOf::kTokens, .sequences = false}; }

  StepwiseResponder::Encoded encode(const Batch& batch, const DropoutMode& drop) const override {
    const Packing& packing = batch.context.packing;
    const Var words = drop(embedding_(batch.context.tokens), "encoder.embedding");
    const Var h = segment_mean(reader_(packing, words, {}, drop, "encoder.lstm").y, packing);
    const Var h_txt = sigmoid(text_(gather_rows(h, batch.context.to_batch)));
    const Var h_dom = relu(domain_2_(relu(domain_1_(mean_of_values(batch, 1, domain_)))));
    Encoded out{{}, batch.memory.segments, {}};
    LstmState& state = out.state.lstm;
    for (const Linear& start : start_) {
      state.h.push_back(start(concat({h_txt, h_dom}, 1)));
      state.c.push_back(Tensor::zeros(state.h[0].shape(), h.dtype(), h.device()));
    }
    // What e_s adds to the gates is the same in all steps.
    out.state.rows = {affine_columns(mean_of_values(batch, 0, sentiment_), decoder_.weight_ih(0),
                                     config_.embedding_size)};
    return out;
  }

  // (n, 4H)
  Var token_part(const Tensor& tokens, const DropoutMode& drop) const override {
    return affine_columns(drop(embedding_(tokens), "decoder.embedding"), decoder_.weight_ih(0), 0);
  }

  StepwiseResponder::Step step(const Encoded&, const Segments&, const Var& token_part,
                               const State& state, const DropoutMode& drop) const override {
    const Lstm::Output out =
        decoder_.from_gates(Packing::single_step(token_part.shape()[0]), token_part + state.rows[0],
                            {}, state.lstm, drop, "decoder.lstm");
    return {{out.y}, {}, {out.state, state.rows}};
  }

  const OutputLayer& output() const override { return output_; }

  // Every input is known in advance: all steps are one LSTM call.
  Taught teach(const Batch& batch, const DropoutMode& drop) const override {
    const ResponseBatch& response = batch.response;
    const Encoded encoded = encode(batch, drop);
    const Var gates = token_part(response.inputs, drop) +
                      gather_rows(encoded.state.rows[0], response.dialogue_of_step);
    const Var h =
        decoder_.from_gates(response.packing, gates, {}, encoded.state.lstm, drop, "decoder.lstm")
            .y;
    const Var scores = output_.logits(h);
    const CrossEntropy loss = OutputLayer::loss_of(scores, response.targets, response.weights);
    Taught taught{loss.total, loss.nll, {}};
    const int64_t generic = generic_words(config_);
    if (config_.gate_weight == 0 || generic == config_.vocab_size) return taught;
    const auto is_sentiment = [&](const Tensor& words) { return greater_equal(words, generic); };
    Tensor q = is_sentiment(response.targets);
    if (config_.gate_on_logits) q = equal(is_sentiment(argmax(scores, 1)), q);
    Var counted = q.to(h.dtype());
    if (response.weights.defined()) counted = mul(counted, Var(response.weights));
    taught.added = -config_.gate_weight * sum(mul(output_.log_gate(h), counted));
    return taught;
  }

 private:
  Embedding embedding_;
  Lstm reader_;
  Linear text_;                 // W_txt
  Embedding domain_;            // rows e_d
  Linear domain_1_, domain_2_;  // W_1, W_2
  std::vector<Linear> start_;   // W_enc of each layer
  Embedding sentiment_;         // rows e_s
  Lstm decoder_;
  GatedOutput output_;
};

}  // namespace

std::unique_ptr<Responder> make_two_vocabulary(const ModelConfig& config) {
  return std::make_unique<TwoVocabularyResponder>(config);
}

}  // namespace heed
