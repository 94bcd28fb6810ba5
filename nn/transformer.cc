#include "nn/transformer.h"

#include <algorithm>
#include <cmath>

#include "autograd/composed.h"

namespace heed {

MultiHeadAttention::MultiHeadAttention(int64_t width, int64_t heads, int64_t memory_width)
    : query(width, width),
      key(memory_width ? memory_width : width, width),
      value(memory_width ? memory_width : width, width),
      output(width, width),
      heads_(heads) {
  check_shape(heads > 0 && width % heads == 0, "MultiHeadAttention: width ", width, ", ", heads,
              " heads");
}

Attended MultiHeadAttention::operator()(const Var& x, const Memory& memory,
                                        const AttentionPairs& pairs, const DropoutMode& drop,
                                        std::string_view place) const {
  const Var weights = attention_weights(query(x), memory.keys, pairs, heads_);
  return {output(attention_context(drop(weights, *this, place), memory.values, pairs)), weights};
}

Var MultiHeadAttention::context(const Var& x, const AttentionPairs& pairs) const {
  return output(attention(query(x), key(x), value(x), pairs, heads_));
}

void MultiHeadAttention::visit(Visitor& v) {
  v("query", query);
  v("key", key);
  v("value", value);
  v("output", output);
}

MultiHeadAttention MultiHeadAttention::like() const {
  return {query.weight.shape()[1], heads_, key.weight.shape()[1]};
}

FeedForward::FeedForward(int64_t width, int64_t hidden, bool relu)
    : linear1(width, hidden), linear2(hidden, width), relu_(relu) {}

Var FeedForward::operator()(const Var& x, const DropoutMode& drop, std::string_view place) const {
  const Var h = linear1(x);
  return linear2(drop(relu_ ? relu(h) : gelu(h), *this, place));
}

void FeedForward::visit(Visitor& v) {
  v("linear1", linear1);
  v("linear2", linear2);
}

namespace {

int64_t hidden_units(int64_t width, const TransformerOptions& options) {
  return options.hidden ? options.hidden : 4 * width;
}

// Dropout of the parts of one layer: each draws from a stream of its own.
struct LayerDropout {
  const DropoutMode& drop;
  std::string_view place;  // of the layer, may be empty
  std::string at(const char* part) const {
    return place.empty() ? "" : std::string(place) + "." + part;
  }
  // x + drop(dx), dx made by a part of the layer
  Var add(const Var& x, const Var& dx, const Module& part, const char* name) const {
    return x + drop(dx, part, at(name), "out");
  }
};

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(int64_t width, TransformerOptions options)
    : attention(width, options.heads),
      feed_forward(width, hidden_units(width, options), options.relu),
      norm1(width),
      norm2(width),
      width_(width),
      options_(options) {
  check_shape(options.memory_width == 0,
              "TransformerEncoderLayer: looks at its own rows only; memory_width ",
              options.memory_width, " is for decoder layers");
}

TransformerEncoderLayer::Output TransformerEncoderLayer::operator()(const Var& x,
                                                                    const AttentionPairs& pairs,
                                                                    const DropoutMode& drop,
                                                                    std::string_view place) const {
  const LayerDropout with{drop, place};
  const Var normed = norm1(x);
  const Attended seen = attention(normed, normed, pairs, drop, with.at("attention"));
  const Var y = with.add(x, seen.context, attention, "attention");
  const Var made = feed_forward(norm2(y), drop, with.at("feed_forward"));
  return {with.add(y, made, feed_forward, "feed_forward"), seen.weights};
}

void TransformerEncoderLayer::visit(Visitor& v) {
  v("attention", attention);
  v("feed_forward", feed_forward);
  v("norm1", norm1);
  v("norm2", norm2);
}

TransformerDecoderLayer::TransformerDecoderLayer(int64_t width, TransformerOptions options)
    : self_attention(width, options.heads),
      attention(width, options.heads, options.memory_width),
      feed_forward(width, hidden_units(width, options), options.relu),
      norm1(width),
      norm2(width),
      norm3(width),
      width_(width),
      options_(options) {}

TransformerDecoderLayer::Output TransformerDecoderLayer::operator()(
    const Var& x, const MultiHeadAttention::Memory& memory, const AttentionPairs& self,
    const AttentionPairs& cross, const DropoutMode& drop, std::string_view place) const {
  const LayerDropout with{drop, place};
  const Var normed = norm1(x);
  const Attended own = self_attention(normed, normed, self, drop, with.at("self_attention"));
  const Var y = with.add(x, own.context, self_attention, "self_attention");
  const Attended seen = attention(norm2(y), memory, cross, drop, with.at("attention"));
  const Var z = with.add(y, seen.context, attention, "attention");
  const Var made = feed_forward(norm3(z), drop, with.at("feed_forward"));
  return {with.add(z, made, feed_forward, "feed_forward"), own.weights, seen.weights};
}

void TransformerDecoderLayer::visit(Visitor& v) {
  v("self_attention", self_attention);
  v("attention", attention);
  v("feed_forward", feed_forward);
  v("norm1", norm1);
  v("norm2", norm2);
  v("norm3", norm3);
}

std::vector<int32_t> positions(const Segments& rows) {
  std::vector<int32_t> result;
  for (int64_t s = 0; s < rows.count(); ++s) {
    for (int64_t i = 0; i < rows.length(s); ++i) result.push_back(static_cast<int32_t>(i));
  }
  return result;
}

std::vector<int32_t> positions(const Packing& packing) {
  std::vector<int32_t> result;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    result.insert(result.end(), packing.batch_size(t), static_cast<int32_t>(t));
  }
  return result;
}

// One table of all positions up to the largest, and its rows.
Tensor sinusoidal_positions(const std::vector<int32_t>& positions, int64_t width, DType dtype,
                            Device device) {
  check_shape(dtype != DType::i32, "sinusoidal_positions: element type i32: expected f32 or f64");
  int32_t largest = -1;
  for (const int32_t p : positions) {
    check_shape(p >= 0, "sinusoidal_positions: negative position ", p);
    largest = std::max(largest, p);
  }
  const int64_t count = int64_t{largest} + 1;
  std::vector<double> table(count * width);
  for (int64_t k = 0; k < width; ++k) {
    const auto even = static_cast<double>(k - k % 2);
    const double frequency = std::pow(10000.0, -even / static_cast<double>(width));
    for (int64_t p = 0; p < count; ++p) {
      const double angle = static_cast<double>(p) * frequency;
      table[p * width + k] = k % 2 ? std::cos(angle) : std::sin(angle);
    }
  }
  const Tensor rows = Tensor::from(table, {count, width}).to(dtype).to(device);
  return gather_rows(rows, Tensor::from(positions, device)).value();
}

}  // namespace heed
