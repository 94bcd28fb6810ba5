#include "dialog/respond/models/transformer.h"

#include <cmath>

#include "autograd/ops.h"
#include "dialog/parts/output_layer.h"
#include "dialog/respond/responder.h"
#include "nn/transformer.h"

namespace heed {
namespace {

TransformerOptions options(const ModelConfig& c) {
  return {.heads = c.heads, .relu = true};
}

Var embedded(const Embedding& table, const Tensor& tokens, const std::vector<int32_t>& positions) {
  const Var words = table(tokens);
  const int64_t width = words.shape()[1];
  return std::sqrt(static_cast<double>(width)) * words +
         Var(sinusoidal_positions(positions, width, words.dtype(), words.device()));
}

class TransformerResponder : public Responder {
 public:
  explicit TransformerResponder(const ModelConfig& c)
      : Responder(c),
        source_(c.vocab_size, c.hidden_size),
        encoder_norm_(c.hidden_size),
        target_(c.vocab_size, c.hidden_size),
        decoder_norm_(c.hidden_size),
        output_(c.hidden_size, c.vocab_size) {
    for (int64_t l = 0; l < c.num_layers; ++l) {
      encoder_.emplace_back(c.hidden_size, options(c));
      decoder_.emplace_back(c.hidden_size, options(c));
    }
  }

  void visit(Visitor& v) override {
    v("encoder.embedding", source_);
    for (size_t l = 0; l < encoder_.size(); ++l)
      v("encoder.layer" + std::to_string(l), encoder_[l]);
    v("encoder.norm", encoder_norm_);
    v("decoder.embedding", target_);
    for (size_t l = 0; l < decoder_.size(); ++l)
      v("decoder.layer" + std::to_string(l), decoder_[l]);
    v("decoder.norm", decoder_norm_);
    v("decoder.output", output_);
  }

  BatchParts parts() const override { return {.memory = MemoryOf::kTokens, .sequences = false}; }

  // e_1 .. e_m of all dialogues, one after the other.
  Var encode(const Batch& batch, const DropoutMode& drop = {}) const {
    const Memory& memory = batch.memory;
    const ContextBatch& context = batch.context;
    const Var words =
        drop(embedded(source_, context.tokens, positions(context.packing)), "encoder.embedding");
    Var x = gather_rows(words, memory.rows);  // dialogue after dialogue
    const AttentionPairs all(memory.segments, memory.segments);
    for (size_t l = 0; l < encoder_.size(); ++l) {
      x = encoder_[l](x, all, drop, "encoder.layer" + std::to_string(l)).y;
    }
    return encoder_norm_(x);
  }

  // sqrt(d) embedding(y) + P of the last tokens, i32 (n), at these positions of their responses
  Var embed(const Tensor& tokens, const std::vector<int32_t>& positions,
            const DropoutMode& drop = {}) const {
    return drop(embedded(target_, tokens, positions), "decoder.embedding");
  }

  Taught teach(const Batch& batch, const DropoutMode& drop) const override {
    const Segments& context = batch.memory.segments;
    const Packing& packing = batch.response.packing;
    const Segments responses = packing.segments(batch.response.inputs.device());
    const std::vector<int64_t> lengths(packing.lengths().begin(), packing.lengths().end());
    const Var memory = encode(batch, drop);
    const AttentionPairs self(responses, responses, /*causal=*/true), cross(responses, context);
    Var y = by_sequence(embed(batch.response.inputs, positions(packing), drop), packing);
    Var weights;
    std::vector<HeadTrace> heads;
    for (size_t l = 0; l < decoder_.size(); ++l) {
      const auto out =
          decoder_[l](y, memory, self, cross, drop, "decoder.layer" + std::to_string(l));
      y = out.y;
      weights = out.weights;
      for (int h = 0; h < config_.heads; ++h) {
        const Var of_head(weights.value().rows(h, h + 1).reshape({cross.total()}));
        heads.push_back({static_cast<int>(l) + 1, h + 1,
                         AttentionTrace::dialogue_by_dialogue(of_head, context, lengths)});
      }
    }
    const Var packed = by_step(decoder_norm_(y), packing);
    const CrossEntropy loss = output_.loss(packed, batch.response.targets, batch.response.weights);
    return {loss.total, loss.nll,
            AttentionTrace::dialogue_by_dialogue(mean(weights, 0), context, lengths),
            std::move(heads)};
  }

  // By the laws of the layers, but tables from N(0, 1 / d): times sqrt(d) they are as large as P.
  void init(uint64_t seed) override {
    heed::init(*this, seed);
    const double scale = 1 / std::sqrt(static_cast<double>(config_.hidden_size));
    for (const Embedding* table : {&source_, &target_}) {
      table->weight.set_value(mul(table->weight.detach(), scale).value());
    }
  }

  Var representation(const Batch& batch, Pooling pooling) const override {
    return pool_positions(encode(batch), batch.memory.segments, pooling);
  }

  std::unique_ptr<Writer> read(const Batch& batch) const override;

  const std::vector<TransformerDecoderLayer>& decoder() const { return decoder_; }
  Var logits(const Var& y) const { return output_.logits(decoder_norm_(y)); }

 private:
  Embedding source_;
  std::vector<TransformerEncoderLayer> encoder_;
  LayerNorm encoder_norm_;
  Embedding target_;
  std::vector<TransformerDecoderLayer> decoder_;
  LayerNorm decoder_norm_;
  SoftmaxOutput output_;
};

// The keys and values of what was written stay with each row, and go where the rows go.
class TransformerWriter : public Writer {
 public:
  TransformerWriter(const TransformerResponder& model, const Batch& batch)
      : model_(model), segments_(batch.memory.segments), written_(model.decoder().size()) {
    const Var memory = model.encode(batch);
    for (const TransformerDecoderLayer& layer : model.decoder()) {
      memories_.push_back(layer.attention.read(memory));
    }
  }

  Written step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
               const std::vector<int32_t>& tokens) override {
    const Device device = memories_[0].keys.device();
    const auto rows = static_cast<int32_t>(tokens.size());
    const Tensor order = rows_of(parents, device);
    const Segments each(std::vector<int32_t>(rows, 1), device);
    const AttentionPairs self(each, Segments(std::vector<int32_t>(rows, steps_ + 1), device));
    const AttentionPairs cross(each, segments_.select(dialogues));
    Var y = model_.embed(Tensor::from(tokens, device), std::vector<int32_t>(rows, steps_));
    Var weights;
    for (size_t l = 0; l < written_.size(); ++l) {
      const TransformerDecoderLayer& layer = model_.decoder()[l];
      const Var normed = layer.norm1(y);
      remember(written_[l], layer.self_attention.read(normed), order);
      y = y + layer.self_attention(normed, written_[l], self).context;
      const Attended seen = layer.attention(layer.norm2(y), memories_[l], cross);
      y = y + seen.context;
      y = y + layer.feed_forward(layer.norm3(y), {}, "");
      weights = seen.weights;
    }
    ++steps_;
    Written written{model_.logits(y).value(), mean(weights, 0).value().to_vector(), {}};
    for (int32_t r = 0; r <= rows; ++r) {
      written.begin.push_back(r < rows ? cross.begin(r, 0) : cross.total());
    }
    return written;
  }

 private:
  // For each row the keys of its parent's steps, then its own, which stand behind all the old ones.
  Tensor rows_of(const std::vector<int32_t>& parents, Device device) const {
    std::vector<int32_t> order;
    for (size_t r = 0; r < parents.size(); ++r) {
      for (int32_t t = 0; t < steps_; ++t) order.push_back(parents[r] * steps_ + t);
      order.push_back(old_rows_() + static_cast<int32_t>(r));
    }
    return Tensor::from(order, device);
  }
  int32_t old_rows_() const {
    return steps_ == 0 ? 0 : static_cast<int32_t>(written_[0].keys.shape()[0]);
  }
  void remember(MultiHeadAttention::Memory& all, const MultiHeadAttention::Memory& news,
                const Tensor& order) const {
    const auto with = [&](const Var& old, const Var& added) {
      return steps_ == 0 ? added : gather_rows(concat({old, added}, 0), order);
    };
    all = {with(all.keys, news.keys), with(all.values, news.values)};
  }

  const TransformerResponder& model_;
  const Segments segments_;
  std::vector<MultiHeadAttention::Memory> memories_;  // of each layer, of the context
  std::vector<MultiHeadAttention::Memory> written_;   // of each layer, row after row
  int32_t steps_ = 0;
};

std::unique_ptr<Writer> TransformerResponder::read(const Batch& batch) const {
  return std::make_unique<TransformerWriter>(*this, batch);
}

}  // namespace

std::unique_ptr<Responder> make_transformer(const ModelConfig& config) {
  return std::make_unique<TransformerResponder>(config);
}

}  // namespace heed
