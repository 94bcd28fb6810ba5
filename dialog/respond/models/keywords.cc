#include "dialog/respond/models/keywords.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "dialog/respond/task.h"

namespace heed {
namespace {

using Ints = std::vector<int32_t>;

Ints without_special_tokens(Ints tokens) {
  std::erase_if(tokens, [](int32_t token) { return token < kSpecialTokens; });
  return tokens;
}

Ppmi ppmi_of(const ModelConfig& c) {
  std::vector<Ppmi::Entry> entries;
  if (c.tables.empty()) return Ppmi(entries);
  const Ints x = c.table("ppmi.query").to_ints(), y = c.table("ppmi.response").to_ints();
  const std::vector<double> values = c.table("ppmi.value").to_vector();
  bool fit = x.size() == values.size() && y.size() == values.size();
  for (size_t i = 0; fit && i < values.size(); ++i) {
    fit = y[i] >= 0 && y[i] < c.vocab_size && values[i] > 0 && std::isfinite(values[i]);
    entries.push_back({x[i], y[i], values[i]});
  }
  if (fit) return Ppmi(entries);
  throw DataError("tables.safetensors: ppmi.* are not words of the vocabulary and values above 0");
}

Tensor tensor_of(const std::vector<double>& values, const Shape& shape, const Var& like) {
  return Tensor::from(values, shape).to(like.dtype()).to(like.device());
}

// What is read of each dialogue, its context or the last utterance of it: a sequence of a packing.
struct Query {
  const Packing& packing;
  const Tensor &tokens, &sequence;
};
Query query_of(const Batch& batch, bool whole) {
  const ContextBatch& context = batch.context;
  const UtteranceBatch& last = batch.queries;
  return whole ? Query{context.packing, context.tokens, context.to_batch}
               : Query{last.packing, last.tokens, last.last};
}

// The words of neighbouring utterances of a dialogue, without special tokens.
std::vector<TextPair> neighbouring_pairs(const Pool& pool) {
  std::vector<TextPair> pairs;
  PoolUtterance before;
  for (PoolUtterance now : pool) {
    now.said.tokens = without_special_tokens(now.said.tokens);
    if (now.dialogue_id == before.dialogue_id) {
      pairs.push_back({before.said.tokens, now.said.tokens});
    }
    before = std::move(now);
  }
  return pairs;
}

}  // namespace

KeywordResponder::KeywordResponder(const ModelConfig& c)
    : StepwiseResponder(c),
      ppmi_(ppmi_of(c)),
      embedding_(c.vocab_size, c.embedding_size),
      query_(c.embedding_size, c.hidden_size, {.layers = c.num_layers}),
      first_(c.vocab_size, c.hidden_size),
      second_(c.hidden_size, c.hidden_size),
      decoder_(c.embedding_size, 2 * c.hidden_size, {.layers = c.num_layers}),
      output_(2 * c.hidden_size, c.vocab_size) {}

Tables KeywordResponder::learn(const ModelConfig&, const TrainData& data, uint64_t) {
  Ints x, y;
  std::vector<float> values;
  for (const Ppmi::Entry& e : Ppmi(neighbouring_pairs(data.pool)).entries()) {
    x.push_back(e.query_word), y.push_back(e.response_word);
    values.push_back(static_cast<float>(e.value));
  }
  return {{"ppmi.query", Tensor::from(x)},
          {"ppmi.response", Tensor::from(y)},
          {"ppmi.value", Tensor::from(values, {std::ssize(values)})}};
}

void KeywordResponder::visit(Visitor& v) {
  v("encoder.embedding", embedding_);
  v("encoder.gru", query_);
  v("keywords.first", first_);
  v("keywords.second", second_);
  v("decoder.gru", decoder_);
  v("decoder.output", output_);
}

std::vector<std::map<int32_t, double>> KeywordResponder::scores(const Batch& batch) const {
  std::vector<std::map<int32_t, double>> all;
  const Query queries = query_of(batch, config_.whole_query);
  for (const Ints& query : tokens_of(queries.packing, queries.tokens, queries.sequence)) {
    all.push_back(ppmi_.scores(query));
    double sum = 0;
    for (const auto& [word, score] : all.back()) sum += score;
    for (auto& [word, score] : all.back()) score /= sum;
  }
  return all;
}

GruState KeywordResponder::read_query(const Batch& batch, const DropoutMode& drop) const {
  const Query query = query_of(batch, config_.whole_query);
  const Var words = drop(embedding_(query.tokens), "encoder.embedding");
  return query_(query.packing, words, {}, drop, "encoder.gru").state.gather(query.sequence);
}

StepwiseResponder::Encoded KeywordResponder::encode(const Batch& batch,
                                                    const DropoutMode& drop) const {
  const GruState h = read_query(batch, drop);
  const Var& like = embedding_.weight;
  const Shape shape = {batch.size, config_.vocab_size};
  std::vector<double> v(shape.numel()), log_v(shape.numel(), MixedOutput::kLogOfNone);
  const auto found = scores(batch);
  for (int64_t b = 0; b < batch.size; ++b) {
    for (const auto& [word, score] : found[b]) {
      const int64_t at = b * config_.vocab_size + word;
      v[at] = score, log_v[at] = std::log(score);
    }
  }
  const Var m = tanh(second_(tanh(first_(tensor_of(v, shape, like)))));
  Encoded out{{}, batch.memory.segments, {{}, {tensor_of(log_v, shape, like)}}};
  for (const Var& of_layer : h.h) out.state.lstm.h.push_back(concat({of_layer, m}, 1));
  return out;
}

Var KeywordResponder::token_part(const Tensor& tokens, const DropoutMode& drop) const {
  return drop(embedding_(tokens), "decoder.embedding");
}

StepwiseResponder::Step KeywordResponder::step(const Encoded&, const Segments&,
                                               const Var& token_part, const State& state,
                                               const DropoutMode& drop) const {
  const Packing one = Packing::single_step(token_part.shape()[0]);
  const Gru::Output out = decoder_(one, token_part, state.lstm, drop, "decoder.gru");
  return {{out.y, state.rows[0]}, {}, {out.state, state.rows}};
}

// All steps at once: none of them depends on what the one before has looked at.
Taught KeywordResponder::teach(const Batch& batch, const DropoutMode& drop) const {
  const State start = encode(batch, drop).state;
  const ResponseBatch& r = batch.response;
  const Var words = token_part(r.inputs, drop);
  const Var s = decoder_(r.packing, words, start.lstm, drop, "decoder.gru").y;
  const Var log_p = output_.logits(s, gather_rows(start.rows[0], r.dialogue_of_step));
  const CrossEntropy loss = OutputLayer::loss_of(log_p, r.targets, r.weights);
  Taught taught{loss.total, loss.nll, {}};
  if (drop.draws() && config_.keyword_weight > 0) {
    const Var drawn = gumbel_softmax(log_p, kTemperature, drop.key("gumbel"));
    taught.added = config_.keyword_weight * (keyword_loss(batch, drawn) - loss.total);
  }
  return taught;
}

Var KeywordResponder::keyword_loss(const Batch& batch, const Var& drawn) const {
  const Shape shape = {batch.size, config_.vocab_size};
  std::vector<double> weights(shape.numel());  // of the words in V_pred
  const auto found = scores(batch);
  for (int64_t b = 0; b < batch.size; ++b) {
    std::vector<std::pair<double, int32_t>> best;  // of equal ones the first word
    for (const auto& [word, score] : found[b]) best.emplace_back(-score, word);
    std::sort(best.begin(), best.end());
    best.resize(std::min(best.size(), kKeywords));
    const auto steps = static_cast<double>(batch.response.packing.length(b));
    for (const auto& [score, word] : best) {
      weights[b * config_.vocab_size + word] = steps / static_cast<double>(kKeywords);
    }
  }
  const Var sums = scatter_rows(drawn, batch.response.dialogue_of_step, batch.size);  // B
  return -sum(mul(clamp(sums, 0, 1), tensor_of(weights, shape, drawn)));
}

Var KeywordResponder::representation(const Batch& batch, Pooling pooling) const {
  return pool_layers(read_query(batch, {}), pooling);
}

}  // namespace heed
