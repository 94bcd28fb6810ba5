#include "dialog/respond/models/thred.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "autograd/ops.h"
#include "dialog/respond/stepwise.h"
#include "dialog/respond/task.h"
#include "dialog/text/lda.h"
#include "dialog/text/stop_words.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "nn/gru.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

using Ints = std::vector<int32_t>;
using Block = StepwiseResponder::Block;

constexpr size_t kTopicWords = 100;  // of a topic

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

// The last row of the memory of each segment.
Tensor last_rows(const Segments& segments, Device device) {
  Ints last;
  for (int64_t s = 0; s < segments.count(); ++s) {
    last.push_back(static_cast<int32_t>(segments.memory_begin(s) + segments.length(s) - 1));
  }
  return Tensor::from(last, device);
}

// Before anything was learned, one word is the only topic, so that there are all parameters.
TopicModel topic_model_of(const ModelConfig& c) {
  if (c.tables.empty()) {
    Ints counts(c.vocab_size);
    counts[kSpecialTokens] = 1;
    return TopicModel(std::move(counts), {.topics = 1});
  }
  const Tensor& learned = c.table("topics.counts");
  Ints counts;
  if (learned.shape() == Shape{c.vocab_size, c.topics}) counts = learned.to_ints();
  if (counts.empty() || *std::min_element(counts.begin(), counts.end()) < 0) {
    throw DataError("tables.safetensors: topics.counts are not tokens of each word and topic");
  }
  return TopicModel(std::move(counts), {.topics = static_cast<int>(c.topics)});
}

// The most frequent words are in no topic's list.
int32_t first_listed(int64_t vocab_size) {
  return static_cast<int32_t>(kSpecialTokens + std::min<int64_t>(1000, vocab_size / 10));
}

struct Topics {
  explicit Topics(const ModelConfig& c) : model(topic_model_of(c)) {
    const int32_t first = first_listed(c.vocab_size);
    for (int k = 0; k < model.topics(); ++k) {
      WordIds& list = words.emplace_back(model.top_words(k, c.vocab_size));
      std::erase_if(list, [&](int32_t word) { return word < first; });
      list.resize(std::min(list.size(), kTopicWords));
      if (list.empty()) list = {kSpecialTokens};  // attention needs something to look at
    }
  }

  // The words of a text's topic; words that no topic has are ignored.
  const WordIds& of(WordIds text) const {
    std::erase_if(text, [&](int32_t word) {
      const auto counts = model.counts().begin() + int64_t{word} * model.topics();
      return std::all_of(counts, counts + model.topics(), [](int32_t n) { return n == 0; });
    });
    return words[model.topic_of(text, 0)];
  }

  WordIds all() const {  // K
    std::set<int32_t> different;
    for (const WordIds& list : words) different.insert(list.begin(), list.end());
    return {different.begin(), different.end()};
  }

  TopicModel model;
  std::vector<WordIds> words;  // of each topic
};

class ThredResponder : public StepwiseResponder {
 public:
  explicit ThredResponder(const ModelConfig& c)
      : StepwiseResponder(c),
        topics_(c.structure.tables ? std::optional<Topics>(c) : std::nullopt),
        embedding_(c.vocab_size, c.embedding_size),
        utterances_(c.embedding_size, c.hidden_size,
                    {.layers = c.num_layers, .bidirectional = true}),
        integration_(2 * c.hidden_size, c.hidden_size),
        decoder_((topics_ ? 2 : 1) * c.embedding_size + c.hidden_size, c.hidden_size,
                 {.layers = c.num_layers}) {
    const int64_t h = c.hidden_size, e = c.embedding_size;
    if (topics_) {
      topic_words_.emplace_back(2 * h, e, h);
      output_ =
          std::make_unique<JointSoftmaxOutput>(h + e + h, h + e, c.vocab_size, topics_->all());
    } else {
      output_ = std::make_unique<SoftmaxOutput>(h + e, c.vocab_size);
    }
    for (int64_t l = 0; l < c.num_layers; ++l) start_.emplace_back(h, h);
    if (c.message_attention) message_.emplace_back(2 * h, 2 * h, h);
    if (!flat()) context_.emplace_back(h, h, h);
  }

  void visit(Visitor& v) override {
    v("encoder.embedding", embedding_);
    v("encoder.gru", utterances_);
    for (AdditiveAttention& attention : message_) v("message.attention", attention);
    v("context.gru", integration_);
    for (AdditiveAttention& attention : context_) v("decoder.attention", attention);
    v("decoder.start", start_);
    v("decoder.gru", decoder_);
    for (AdditiveAttention& attention : topic_words_) v("topics.attention", attention);
    v("decoder.output", *output_);
  }

  BatchParts parts() const override {
    if (flat()) return {.memory = MemoryOf::kTokens, .sequences = false};
    return {.sequences = true, .utterances = true};
  }

  Var representation(const Batch& batch, Pooling pooling) const override {
    return pool_layers({.h = {read_context(batch, {}).last}}, pooling);
  }

  StepwiseResponder::Encoded encode(const Batch& batch, const DropoutMode& drop) const override {
    Read read = read_context(batch, drop);
    for (const Linear& start : start_) {
      read.encoded.state.lstm.h.push_back(tanh(start(read.last)));
    }
    if (topics_) read.encoded.blocks.push_back(read_topics(batch));
    return read.encoded;
  }

  // (n, E)
  Var token_part(const Tensor& tokens, const DropoutMode& drop) const override {
    return drop(embedding_(tokens), "decoder.embedding");
  }

  StepwiseResponder::Step step(const Encoded& encoded, const Segments& segments,
                               const Var& token_part, const State& state,
                               const DropoutMode& drop) const override {
    const Var s = state.lstm.top();
    Var weights, r, last;  // c_q
    if (flat()) {
      const Message read = message(encoded, segments, s);
      weights = read.weights;
      r = last = read.c;
    } else {
      const bool once = message_.empty();
      const Attention::Memory c =
          once ? encoded.memory : context_[0].read(integrate(encoded, segments, s));
      const Segments of_rows = once ? segments : in_order(segments, s.device());
      const Attended context = context_[0](s, c, of_rows);
      weights = context.weights;
      r = context.context;
      if (topics_) last = gather_rows(c.values, last_rows(of_rows, s.device()));
    }
    r = drop(r, "decoder.context");
    std::vector<Var> input = {token_part, r};
    if (topics_) {
      const Block& words = encoded.blocks.back();
      Ints rows(segments.count());
      std::iota(rows.begin(), rows.end(), 0);
      const Attended k =
          topic_words_[0](concat({s, last}, 1), words.memory,
                          segments_of_rows(words, 0, encoded.segments, segments, rows));
      input.push_back(drop(k.context, "decoder.topics"));
    }
    const Gru::Output out = decoder_(Packing::single_step(token_part.shape()[0]), concat(input, 1),
                                     state.lstm, drop, "decoder.gru");
    Step next{{out.y, token_part}, weights, {out.state, {}}};
    if (topics_) next.made.push_back(r);
    return next;
  }

  Var hidden(const std::vector<Var>& made) const override { return concat(made, 1); }
  const OutputLayer& output() const override { return *output_; }

 private:
  bool flat() const { return !config_.structure.hierarchical; }
  // An encoded context, and its final state c_q (B, H) before a word is written.
  struct Read {
    Encoded encoded;
    Var last;
  };

  Read read_context(const Batch& batch, const DropoutMode& drop) const {
    const UtteranceBatch& u = batch.utterances;
    const Packing& packing = flat() ? batch.context.packing : u.packing;
    const Var words =
        drop(embedding_(flat() ? batch.context.tokens : u.tokens), "encoder.embedding");
    const Gru::Output read = utterances_(packing, words, {}, drop, "encoder.gru");
    const Var nothing =
        Tensor::zeros({batch.size, config_.hidden_size}, read.y.dtype(), read.y.device());
    Read out{{{}, batch.memory.segments, {}, {}}, {}};
    if (flat()) {
      out.encoded.memory = message_[0].read(gather_rows(read.y, batch.memory.rows));
      out.last = message(out.encoded, out.encoded.segments, nothing).c;
      return out;
    }
    if (!message_.empty()) {
      out.encoded.blocks = blocks_of(read.y, u, batch.memory.segments, message_[0]);
      out.last = gather_rows(integrate(out.encoded, batch.memory.segments, nothing),
                             batch.memory.query_rows);
      return out;
    }
    const UtteranceSequences& s = batch.sequences;
    const Var utterances = gather_rows(read.state.top(), u.to_memory);
    const Gru::Output integrated = integration_(s.packing, gather_rows(utterances, s.rows));
    out.encoded.memory = context_[0].read(gather_rows(integrated.y, s.to_memory));
    out.last = gather_rows(integrated.state.top(), s.to_batch);
    return out;
  }

  // c_1, c_2 ... for each row of s (B', H), over the utterances of its segment: (P, H), row after
  // row.
  Var integrate(const Encoded& encoded, const Segments& segments, const Var& s) const {
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

  // Of a flat context: attention to its words by s (B', H), and c_1 (B', H).
  struct Message {
    Var weights, c;
  };

  Message message(const Encoded& encoded, const Segments& segments, const Var& s) const {
    const Var nothing = Tensor::zeros(s.shape(), s.dtype(), s.device());  // c_0
    const Attended words = message_[0](concat({s, nothing}, 1), encoded.memory, segments);
    const Packing one = Packing::single_step(s.shape()[0]);
    return {words.weights, integration_(one, words.context, {.h = {nothing}}).y};
  }

  // The topic words of each dialogue.
  StepwiseResponder::Block read_topics(const Batch& batch) const {
    const ContextBatch& context = batch.context;
    std::vector<WordIds> texts = tokens_of(context.packing, context.tokens, context.to_batch);
    std::vector<const WordIds*> lists(batch.size);
    parallel_for(batch.size, [&](int64_t b) { lists[b] = &topics_->of(std::move(texts[b])); });
    Ints words, lengths;
    for (const WordIds* list : lists) {
      words.insert(words.end(), list->begin(), list->end());
      lengths.push_back(static_cast<int32_t>(list->size()));
    }
    const Device device = embedding_.weight.device();
    return {topic_words_[0].read(embedding_(Tensor::from(words, device))),
            Segments(lengths, device)};
  }

  std::optional<Topics> topics_;
  Embedding embedding_;
  Gru utterances_;
  std::vector<AdditiveAttention> message_, context_, topic_words_;  // one or none
  Gru integration_;
  std::vector<Linear> start_;  // W_l, b_l
  Gru decoder_;
  std::unique_ptr<OutputLayer> output_;
};

}  // namespace

Tables learn_topics(const ModelConfig& config, const TrainData& data, uint64_t seed) {
  std::vector<char> counts(config.vocab_size);  // whether a word does
  for (int32_t word = kSpecialTokens; word < config.vocab_size; ++word) {
    counts[word] = !is_stop_word(data.vocabulary.token(word));
  }
  std::vector<WordIds> dialogues;
  std::string id;
  for (const PoolUtterance utterance : data.pool) {
    if (dialogues.empty() || utterance.dialogue_id != id) dialogues.emplace_back();
    id = utterance.dialogue_id;
    for (const int32_t word : utterance.said.tokens) {
      if (counts[word]) dialogues.back().push_back(word);
    }
  }
  const TopicModel model(dialogues, config.vocab_size,
                         {.topics = static_cast<int>(config.topics), .seed = seed});
  return {{"topics.counts", Tensor::from(model.counts(), {config.vocab_size, config.topics})}};
}

Tables topics_of_file(const std::string& path, const Vocabulary& vocabulary) {
  const int32_t first = first_listed(vocabulary.size());
  std::vector<std::map<int32_t, int32_t>> topics;  // tokens of each word
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (std::ssize(topics) == ModelConfig::kMostTopics) {
      lines.fail("more than " + std::to_string(ModelConfig::kMostTopics) + " topics");
    }
    std::map<int32_t, int32_t> counts;
    const std::vector<std::string> words = tokenize(line);
    int32_t count = 0;
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
      const int32_t id = vocabulary.id(*word);
      if (id != kUnk) counts[id] = ++count;
    }
    if (counts.empty() || counts.rbegin()->first < first) {
      lines.fail("no word of this topic is in the vocabulary behind its " +
                 std::to_string(first - kSpecialTokens) +
                 " most frequent words, which are in no topic's list");
    }
    topics.push_back(std::move(counts));
  }
  if (topics.empty()) throw DataError(path + ": has no topics");
  const auto n = std::ssize(topics);
  Ints counts(vocabulary.size() * n);
  for (int64_t k = 0; k < n; ++k) {
    for (const auto& [word, count] : topics[k]) counts[word * n + k] = count;
  }
  return {{"topics.counts", Tensor::from(counts, {vocabulary.size(), n})}};
}

std::unique_ptr<Responder> make_thred(const ModelConfig& config) {
  return std::make_unique<ThredResponder>(config);
}

}  // namespace heed
