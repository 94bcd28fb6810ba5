#include "dialog/retrieve/dual_encoder.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "autograd/composed.h"
#include "base/error.h"
#include "dialog/parts/encoder.h"
#include "dialog/retrieve/settings.h"
#include "dialog/text/vocabulary.h"
#include "nn/count.h"
#include "nn/init.h"
#include "train/setting_rules.h"

namespace heed::retrieve {
namespace {

// Where a row of the table stands that a pair of words shares with others.
int32_t row_of_pair(int32_t first, int32_t second, int64_t words, int64_t buckets) {
  const uint32_t mixed = static_cast<uint32_t>(first) * 2654435761u + static_cast<uint32_t>(second);
  return static_cast<int32_t>(words + (mixed ^ (mixed >> 16)) % buckets);
}

Var unit_length(const Var& x) {
  return x / (norm(x, -1, /*keepdim=*/true) + 1e-12);
}

}  // namespace

std::vector<Tokens> utterances_of(const Tokens& text) {
  std::vector<Tokens> result(1);
  for (const int32_t token : text) {
    if (!result.back().empty() && result.back().back() == kEou) result.emplace_back();
    result.back().push_back(token);
  }
  return result;
}

void Config::check() const {
  check_values("retrieval", *this, [](auto& config, auto& v) { visit_ranker(config, v); });
  if (frozen() && !pretrained()) {
    throw UsageError("retrieval: score map is for the encoder pretrained, not for " + encoder);
  }
  if (pool == "last" && encoder != "lstm") {
    throw UsageError("retrieval: pool last is for the encoder lstm, not for " + encoder);
  }
  if (!bidirectional && encoder != "lstm") {
    throw UsageError("retrieval: only the encoder lstm may read in one direction, not " + encoder);
  }
}

double parameter_count(const Config& c) {
  if (c.pretrained()) return c.score == "cosine" ? 1 : 0;
  return count_parameters(c.layers, [&](int64_t layers) {
    Config of = c;
    of.layers = layers;
    return std::make_unique<DualEncoder>(of);
  });
}

// ---- pooling

Var AttentionPooling::weights(const Var& h, const Segments& segments) const {
  const Var scores = queries_(tanh(project_(h)));  // (M, heads)
  const int64_t heads = scores.shape()[1];
  Var sum;
  for (const Var& head : split(scores, std::vector<int64_t>(heads, 1), 1)) {
    const Var alpha = segment_softmax(reshape(head, {h.shape()[0]}), segments);
    sum = sum.defined() ? sum + alpha : alpha;
  }
  return sum / static_cast<double>(heads);
}

void AttentionPooling::visit(Visitor& v) {
  v("project", project_);
  v("queries", queries_);
}

// ---- recurrent layers

Recurrent::Recurrent(const Config& c, bool sru, int64_t in)
    : width_((c.bidirectional ? 2 : 1) * c.hidden_size) {
  if (!sru) {
    lstm_.emplace_back(in, c.hidden_size,
                       LstmOptions{.layers = c.layers, .bidirectional = c.bidirectional});
  }
  for (int64_t i = 0; sru && i < c.layers; ++i) {
    sru_.emplace_back(i == 0 ? in : width_, c.hidden_size);
  }
  if (c.pool == "attention") pooling_.emplace_back(width_, c.attention_size, c.heads);
}

Var Recurrent::operator()(const Packing& packing, const Var& x, const DropoutMode& drop,
                          std::string_view place, Looks* looks) const {
  Var h = x;
  for (size_t i = 0; i < sru_.size(); ++i) {
    h = sru_[i](packing, i == 0 ? h : drop(h, place, static_cast<uint32_t>(i)));
  }
  if (!lstm_.empty()) {
    const Lstm::Output out = lstm_[0](packing, x, {}, drop, place);
    if (pooling_.empty()) return out.state.top();
    h = out.y;
  }
  const Segments segments = packing.segments(x.device());
  const Var rows = by_sequence(h, packing), weights = pooling_[0].weights(rows, segments);
  if (looks) looks->weights = weights, looks->segments = segments;
  return segment_context(weights, rows, segments);
}

void Recurrent::visit(Visitor& v) {
  for (Lstm& lstm : lstm_) v("lstm", lstm);
  v("sru", sru_);
  for (AttentionPooling& pooling : pooling_) v("pooling", pooling);
}

// ---- a tower

Tower::Tower(const Config& c, bool hierarchical) : vocab_size_(c.vocab_size), buckets_(c.pairs()) {
  if (c.bag()) {
    dense_.emplace_back(c.embedding_size, c.hidden_size);
    if (c.attends()) weighing_.emplace_back(c.embedding_size, c.attention_size, c.heads);
    return;
  }
  words_.emplace_back(c, c.encoder != "lstm", c.embedding_size);
  if (hierarchical) utterances_.emplace_back(c, true, words_[0].width());
}

int64_t Tower::width() const {
  return dense_.empty() ? words_[0].width() : dense_[0].weight.shape()[0];
}

Var Tower::operator()(const Embedding& embedding, const std::vector<Tokens>& texts,
                      const DropoutMode& drop, std::string_view place, Looks* looks) const {
  const std::string side(place);
  const Device device = embedding.weight.device();
  if (!dense_.empty()) return drop(bag(embedding, texts, drop, side, looks), side + ".vectors");
  std::vector<Tokens> sequences, of_text;  // the numbers of each text's sequences
  for (const Tokens& text : texts) {
    const std::vector<Tokens> parts =
        utterances_.empty() ? std::vector<Tokens>{text} : utterances_of(text);
    of_text.emplace_back(parts.size());
    std::iota(of_text.back().begin(), of_text.back().end(), static_cast<int32_t>(sequences.size()));
    sequences.insert(sequences.end(), parts.begin(), parts.end());
  }
  const Packed packed = pack(sequences, device);
  const Var x = drop(embedding(packed.rows), side + ".words");
  if (looks) looks->order = packed.order;
  Var vectors = packed.restored(words_[0](packed.packing, x, drop, side + ".layers", looks));
  if (!utterances_.empty()) {
    const Packed turns = pack(of_text, device);
    const Var y = gather_rows(vectors, turns.rows.value()).in_order(RowOrder::by_step);
    if (looks) looks->order = turns.order;
    vectors = turns.restored(utterances_[0](turns.packing, drop(y, side + ".turns"), drop,
                                            side + ".turn_layers", looks));
  }
  return drop(vectors, side + ".vectors");
}

Var Tower::bag(const Embedding& embedding, const std::vector<Tokens>& texts,
               const DropoutMode& drop, const std::string& place, Looks* looks) const {
  std::vector<int32_t> ids, lengths;
  std::vector<double> roots;
  for (const Tokens& text : texts) {
    const size_t before = ids.size();
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == kEou && weighing_.empty()) continue;
      ids.push_back(text[i]);
      if (buckets_ == 0 || i + 1 == text.size() || text[i + 1] == kEou) continue;
      ids.push_back(row_of_pair(text[i], text[i + 1], vocab_size_, buckets_));
    }
    lengths.push_back(static_cast<int32_t>(ids.size() - before));
    roots.push_back(std::sqrt(static_cast<double>(lengths.back())));
  }
  const Var& table = embedding.weight;
  const Var x = drop(embedding(Tensor::from(ids, table.device())), place + ".words");
  const Segments segments(lengths, table.device());
  Var mean;
  if (weighing_.empty()) {
    mean = segment_mean(x, segments);
  } else {
    const Var weights = weighing_[0].weights(x, segments);
    mean = segment_context(weights, x, segments);
    if (looks) {
      *looks = {weights, segments, std::vector<int32_t>(texts.size())};
      std::iota(looks->order.begin(), looks->order.end(), 0);
    }
  }
  const Tensor root = Tensor::from(roots, {std::ssize(texts), 1});
  return dense_[0](tanh(mean * Var(root.to(table.value().dtype()).to(table.device()))));
}

void Tower::visit(Visitor& v) {
  for (AttentionPooling& weighing : weighing_) v("pooling", weighing);
  for (Linear& dense : dense_) v("dense", dense);
  for (Recurrent& words : words_) v("words", words);
  for (Recurrent& utterances : utterances_) v("utterances", utterances);
}

// ---- both

DualEncoder::DualEncoder(const Config& config, std::optional<pretrained::Bert> bert)
    : config_(config) {
  config.check();
  check_internal(config.pretrained() == bert.has_value(), "a BERT is that of a pretrained encoder");
  if (bert) {
    bert_.push_back(std::move(*bert));
  } else {
    const int64_t rows = config.vocab_size + config.pairs();
    embedding_.emplace_back(rows, config.embedding_size);
    if (config.bag()) {  // whose sums would begin where tanh is flat
      embedding_[0].weight = Var::parameter({rows, config.embedding_size}, normal_law(0, 0.1),
                                            /*sparse_rows=*/true);
    }
    const bool hierarchical = config.encoder == "hierarchical";
    towers_.emplace_back(config, hierarchical);
    if (!config.shared || hierarchical) towers_.emplace_back(config, false);
  }
  if (config.score == "bilinear" || config.frozen()) {
    bilinear_.emplace_back(width(), width(), /*with_bias=*/false);
  }
  if (config.frozen()) {
    bilinear_[0].weight = Var::parameter({width(), width()}, constant_law(0));
    freeze(bert_[0]);
  }
  if (config.score == "cosine") scale_ = Var::parameter({1}, constant_law(config.scale));
}

int64_t DualEncoder::width() const {
  return bert_.empty() ? towers_[0].width() : bert_[0].config().hidden_size;
}

Device DualEncoder::device() const {
  return bert_.empty() ? embedding_[0].weight.device() : bert_[0].device();
}

Var DualEncoder::f(Side side, const std::vector<Tokens>& texts, const DropoutMode& drop,
                   Looks* looks) const {
  const bool context = side == Side::kContexts;
  if (bert_.empty()) {
    const Tower& tower = context ? towers_.front() : towers_.back();
    return tower(embedding_[0], texts, drop, context ? "context" : "response", looks);
  }
  std::vector<pretrained::Pieces> pieces;
  for (const Tokens& text : texts) pieces.push_back({text, Tokens(text.size(), 0)});
  return pretrained::mean_vectors(bert_[0](pieces));  // of the length 1
}

Var DualEncoder::scored(Side side, const Var& f) const {
  const bool context = side == Side::kContexts;
  if (scale_.defined()) return context ? unit_length(f) * scale_ : unit_length(f);
  if (config_.frozen()) return context ? f : f + bilinear_[0](f);
  return context && !bilinear_.empty() ? bilinear_[0](f) : f;
}

Tensor DualEncoder::encode_f(Side side, std::vector<Tokens> texts, size_t batch,
                             const OnTexts& progress) const {
  std::vector<Example> examples(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) examples[i].context = {std::move(texts[i])};
  EncodeOptions options{.batch = static_cast<int64_t>(batch)};
  if (progress) {
    options.progress = [&](int64_t done, int64_t) {
      progress(static_cast<size_t>(done), examples.size());
    };
  }
  return encode_in_batches(examples, options, [&](const ExamplePointers& some) {
    std::vector<Tokens> of_batch;
    for (const Example* e : some) of_batch.push_back(e->context[0]);
    return f(side, of_batch);
  });
}

Tensor DualEncoder::encode(Side side, std::vector<Tokens> texts, size_t batch,
                           const OnTexts& progress) const {
  const NoGrad guard;
  const Tensor f = encode_f(side, std::move(texts), batch, progress);
  return scored(side, Var(f.to(device()))).value().to(Device{});
}

void DualEncoder::visit(Visitor& v) {
  for (pretrained::Bert& bert : bert_) v("encoder", bert);
  for (Embedding& embedding : embedding_) v("embedding", embedding);
  if (towers_.size() == 1) v("tower", towers_[0]);
  if (towers_.size() == 2) {
    v("context", towers_[0]);
    v("response", towers_[1]);
  }
  for (Linear& bilinear : bilinear_) v("bilinear", bilinear);
  v("scale", scale_);
}

}  // namespace heed::retrieve
