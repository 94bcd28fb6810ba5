#include "dialog/pretrained/bert.h"

#include <algorithm>

#include "autograd/composed.h"

namespace heed::pretrained {

BertLayer::BertLayer(const BertConfig& c)
    : attention(c.hidden_size, c.num_attention_heads),
      feed_forward(c.hidden_size, c.intermediate_size, /*relu=*/false),
      norm1(c.hidden_size, c.layer_norm_eps),
      norm2(c.hidden_size, c.layer_norm_eps) {}

Var BertLayer::operator()(const Var& x, const AttentionPairs& pairs) const {
  const Var h = norm1(x + attention.context(x, pairs));
  return norm2(h + feed_forward(h));
}

void BertLayer::visit(Visitor& v) {
  v("attention.self.query", attention.query);
  v("attention.self.key", attention.key);
  v("attention.self.value", attention.value);
  v("attention.output.dense", attention.output);
  v("attention.output.LayerNorm", norm1);
  v("intermediate.dense", feed_forward.linear1);
  v("output.dense", feed_forward.linear2);
  v("output.LayerNorm", norm2);
}

Bert::Bert(const BertConfig& c)
    : words(c.vocab_size, c.hidden_size),
      positions(c.max_position_embeddings, c.hidden_size),
      types(c.type_vocab_size, c.hidden_size),
      norm(c.hidden_size, c.layer_norm_eps),
      config_(c) {
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) layers.emplace_back(c);
}

void Bert::visit(Visitor& v) {
  v("embeddings.word_embeddings", words);
  v("embeddings.position_embeddings", positions);
  v("embeddings.token_type_embeddings", types);
  v("embeddings.LayerNorm", norm);
  v("encoder.layer", layers);
}

Bert::States Bert::operator()(const std::vector<Pieces>& texts, int last) const {
  std::vector<int32_t> ids, of_type, lengths;
  for (const Pieces& text : texts) {
    const auto length = std::ssize(text.ids);
    check_shape(length > 0 && length <= config_.max_position_embeddings, "bert: a text of ", length,
                " pieces, expected 1 to ", config_.max_position_embeddings);
    ids.insert(ids.end(), text.ids.begin(), text.ids.end());
    of_type.insert(of_type.end(), text.types.begin(), text.types.end());
    lengths.push_back(static_cast<int32_t>(length));
  }
  const Segments segments(lengths, device());
  const auto on_device = [&](const std::vector<int32_t>& numbers) {
    return Tensor::from(numbers, device());
  };
  const Var x = words(on_device(ids)) + positions(on_device(heed::positions(segments))) +
                types(on_device(of_type));
  const AttentionPairs pairs(segments, segments);
  States states{{norm(x).in_order(RowOrder::by_sequence)}, segments};
  const size_t count = last < 0 ? layers.size() : std::min<size_t>(last, layers.size());
  for (size_t i = 0; i < count; ++i) {
    states.layers.push_back(layers[i](states.layers.back(), pairs));
  }
  return states;
}

Var mean_vectors(const Bert::States& states, int layer) {
  const Var& chosen = layer < 0 ? states.layers.back() : states.layers.at(layer);
  const Var mean = segment_mean(chosen, states.segments);
  return mean / norm(mean, -1, /*keepdim=*/true);
}

}  // namespace heed::pretrained
