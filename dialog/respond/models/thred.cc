#include "dialog/respond/models/thred.h"

#include <map>
#include <numeric>

#include "autograd/ops.h"

namespace heed {
namespace {

using Ints = std::vector<int32_t>;
using Block = StepwiseResponder::Block;

// The words of the first utterances of all dialogues that have one, then those of the second ones
// ...: so the dialogues that are still running are the first of each block. `words` (N, 2H) stand
// as in `u`.
std::vector<Block> blocks_of(const Var& words, const UtteranceBatch& u, const Segments& dialogues,
                             const AdditiveAttention& attention) {
  std::vector<Ints> lengths;
  std::vector<Ints> rows;
  const Ints row_of_token = u.token_rows.to_ints();
  for (int64_t b = 0; b < dialogues.count(); ++b) {
    for (int64_t i = 0; i < dialogues.length(b); ++i) {
      if (i == std::ssize(lengths)) lengths.emplace_back(), rows.emplace_back();
      const int64_t utterance = dialogues.begin(b) + i;
      lengths[i].push_back(static_cast<int32_t>(u.of_tokens.length(utterance)));
      for (int64_t j = u.of_tokens.begin(utterance); j < u.of_tokens.end(utterance); ++j) {
        rows[i].push_back(row_of_token[j]);
      }
    }
  }
  std::vector<Block> blocks;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const Var of_block = gather_rows(words, Tensor::from(rows[i], words.device()));
    blocks.push_back({attention.read(of_block), Segments(lengths[i], words.device())});
  }
  return blocks;
}

// Of block i the segments of these rows. Rows are dialogues in batch order while a model is taught,
// and otherwise hypotheses of any of them.
Segments segments_of_rows(const Block& block, int64_t i, const Segments& all,
                          const Segments& segments, const Ints& rows) {
  if (!segments.selected()) return block.segments.first(static_cast<int64_t>(rows.size()));
  std::map<int64_t, int32_t> place;  // of a dialogue, which its first utterance identifies
  for (int64_t b = 0; b < all.count(); ++b) {
    if (all.length(b) <= i) continue;
    const auto next = static_cast<int32_t>(place.size());
    place[all.memory_begin(b)] = next;
  }
  Ints ids;
  for (const int32_t row : rows) ids.push_back(place.at(segments.memory_begin(row)));
  return block.segments.select(ids);
}

// Segments of the same lengths, one behind the other.
Segments in_order(const Segments& segments, Device device) {
  Ints lengths;
  for (int64_t s = 0; s < segments.count(); ++s) {
    lengths.push_back(static_cast<int32_t>(segments.length(s)));
  }
  return Segments(lengths, device);
}

}  // namespace

ThredResponder::ThredResponder(const ModelConfig& c)
    : config_((c.check(), c)),
      embedding_(c.vocab_size, c.embedding_size),
      utterances_(c.embedding_size, c.hidden_size, {.layers = c.num_layers, .bidirectional = true}),
      integration_(2 * c.hidden_size, c.hidden_size),
      context_(c.hidden_size, c.hidden_size, c.hidden_size),
      decoder_(c.embedding_size + c.hidden_size, c.hidden_size, {.layers = c.num_layers}),
      output_(c.hidden_size + c.embedding_size, c.vocab_size) {
  const int64_t h = c.hidden_size;
  for (int64_t l = 0; l < c.num_layers; ++l) start_.emplace_back(h, h);
  if (c.message_attention) message_.emplace_back(2 * h, 2 * h, h);
}

void ThredResponder::visit(Visitor& v) {
  v("encoder.embedding", embedding_);
  v("encoder.gru", utterances_);
  for (AdditiveAttention& attention : message_) v("message.attention", attention);
  v("context.gru", integration_);
  v("decoder.attention", context_);
  v("decoder.start", start_);
  v("decoder.gru", decoder_);
  v("decoder.output", output_);
}

Var ThredResponder::integrate(const Encoded& encoded, const Segments& segments,
                              const Var& s) const {
  Ints here(segments.count());  // the rows that have utterance i
  std::iota(here.begin(), here.end(), 0);
  Ints place(segments.total());  // of each c in the list of all
  std::vector<Var> all;
  Var c = Tensor::zeros(s.shape(), s.dtype(), s.device());
  const auto ids = [&](const Ints& values) { return Tensor::from(values, s.device()); };
  int32_t before = 0;
  for (size_t i = 0; i < encoded.blocks.size() && !here.empty(); ++i) {
    Ints rows, kept;  // those that go on, and their places among the rows before
    for (size_t k = 0; k < here.size(); ++k) {
      if (segments.length(here[k]) <= std::ssize(all)) continue;
      place[segments.begin(here[k]) + i] = before + static_cast<int32_t>(rows.size());
      rows.push_back(here[k]);
      kept.push_back(static_cast<int32_t>(k));
    }
    here = rows;
    if (rows.empty()) break;
    c = gather_rows(c, ids(kept));
    const Attended message =
        message_[0](concat({gather_rows(s, ids(rows)), c}, 1), encoded.blocks[i].memory,
                    segments_of_rows(encoded.blocks[i], static_cast<int64_t>(i), encoded.segments,
                                     segments, rows));
    const auto n = static_cast<int64_t>(rows.size());
    c = integration_(Packing::single_step(n), message.context, {.h = {c}}).y;
    all.push_back(c);
    before += static_cast<int32_t>(n);
  }
  return gather_rows(concat(all, 0), ids(place));
}

ThredResponder::Read ThredResponder::read_context(const Batch& batch,
                                                  const DropoutMode& drop) const {
  const UtteranceBatch& u = batch.utterances;
  const Var words = drop(embedding_(u.tokens), "encoder.embedding");
  const Gru::Output read = utterances_(u.packing, words, {}, drop, "encoder.gru");
  Read out{{{}, batch.memory.segments, {}, {}}, {}};
  if (!message_.empty()) {
    out.encoded.blocks = blocks_of(read.y, u, batch.memory.segments, message_[0]);
    const Var nothing =
        Tensor::zeros({batch.size, config_.hidden_size}, read.y.dtype(), read.y.device());
    out.last = gather_rows(integrate(out.encoded, batch.memory.segments, nothing),
                           batch.memory.query_rows);
    return out;
  }
  const UtteranceSequences& s = batch.sequences;
  const Var utterances = gather_rows(read.state.top(), u.to_memory);
  const Gru::Output integrated = integration_(s.packing, gather_rows(utterances, s.rows));
  out.encoded.memory = context_.read(gather_rows(integrated.y, s.to_memory));
  out.last = gather_rows(integrated.state.top(), s.to_batch);
  return out;
}

StepwiseResponder::Encoded ThredResponder::encode(const Batch& batch,
                                                  const DropoutMode& drop) const {
  Read read = read_context(batch, drop);
  for (const Linear& start : start_) {
    read.encoded.state.lstm.h.push_back(tanh(start(read.last)));
  }
  return read.encoded;
}

Var ThredResponder::token_part(const Tensor& tokens, const DropoutMode& drop) const {
  return drop(embedding_(tokens), "decoder.embedding");
}

StepwiseResponder::Step ThredResponder::step(const Encoded& encoded, const Segments& segments,
                                             const Var& token_part, const State& state,
                                             const DropoutMode& drop) const {
  const Var s = state.lstm.top();
  const Attended context = message_.empty() ? context_(s, encoded.memory, segments)
                                            : context_(s, integrate(encoded, segments, s),
                                                       in_order(segments, s.device()));
  const Var r = drop(context.context, "decoder.context");
  const Gru::Output out = decoder_(Packing::single_step(token_part.shape()[0]),
                                   concat({token_part, r}, 1), state.lstm, drop, "decoder.gru");
  return {{out.y, token_part}, context.weights, {out.state, {}}};
}

Var ThredResponder::representation(const Batch& batch, Pooling pooling) const {
  return pool_layers({.h = {read_context(batch, {}).last}}, pooling);
}

}  // namespace heed
