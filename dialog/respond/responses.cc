#include "dialog/respond/responses.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "autograd/keep_packed.h"
#include "base/error.h"
#include "dialog/respond/taught_choices.h"
#include "dialog/text/measures.h"
#include "dialog/text/tokenizer.h"

namespace heed {

namespace {

using OnBatch = std::function<void(const RespondProgress&)>;

// `write` gives the tokens of the responses to a batch.
template <class Write>
std::vector<Tokens> in_batches(const std::vector<Example>& examples, const Vocabulary& vocabulary,
                               int64_t batch_size, const OnBatch& progress, Write write) {
  if (batch_size < 1) {
    throw UsageError("batch: expected at least 1, got " + std::to_string(batch_size));
  }
  KeepPacked weights;  // of all batches
  std::vector<Tokens> responses;
  RespondProgress done{0, 0};
  for (size_t at = 0; at < examples.size(); at += batch_size) {
    std::vector<const Example*> batch;
    const size_t end = std::min(examples.size(), at + static_cast<size_t>(batch_size));
    for (size_t i = at; i < end; ++i) batch.push_back(&examples[i]);
    for (const std::vector<int32_t>& response : write(batch)) {
      responses.push_back(vocabulary.words(response));
      done.tokens += static_cast<int64_t>(response.size()) + 1;
    }
    for (const Example* e : batch) {
      for (const auto& utterance : e->context) {
        done.tokens += static_cast<int64_t>(utterance.size()) + 1;
      }
    }
    done.examples = static_cast<int64_t>(end);
    if (progress) progress(done);
  }
  return responses;
}

}  // namespace

std::vector<Tokens> respond(Responder& model, const std::vector<Example>& examples,
                            const Vocabulary& vocabulary, const DecodeOptions& options,
                            int64_t batch_size, const OnBatch& progress) {
  return in_batches(examples, vocabulary, batch_size, progress, [&](const auto& batch) {
    std::vector<std::vector<int32_t>> responses;
    for (Decoding& d : decode(model, batch, options)) responses.push_back(std::move(d.tokens));
    return responses;
  });
}

std::vector<Offered> respond_lists(Responder& model, const std::vector<Example>& examples,
                                   const Vocabulary& vocabulary, const DecodeOptions& options,
                                   int64_t batch_size, const OnBatch& progress) {
  std::vector<Offered> lists;
  in_batches(examples, vocabulary, batch_size, progress, [&](const auto& batch) {
    std::vector<std::vector<int32_t>> first;
    for (const std::vector<Decoding>& list : decode_lists(model, batch, options)) {
      Offered& offered = lists.emplace_back();
      for (const Decoding& d : list) {
        if (d.tokens.empty() && list.size() > 1) continue;
        offered.responses.push_back(vocabulary.words(d.tokens));
        offered.log_p.push_back(d.log_prob);
      }
      first.push_back(list[0].tokens);
    }
    return first;
  });
  return lists;
}

std::vector<Tokens> respond_taught(Responder& model, const std::vector<Example>& examples,
                                   const Vocabulary& vocabulary, bool allow_unk, int64_t batch_size,
                                   const OnBatch& progress) {
  return in_batches(examples, vocabulary, batch_size, progress,
                    [&](const auto& batch) { return taught_choices(model, batch, allow_unk); });
}

std::vector<Tokens> human_responses(const std::vector<Example>& examples,
                                    const Vocabulary& vocabulary) {
  std::vector<Tokens> responses;
  for (const Example& e : examples) responses.push_back(response_words(e, vocabulary));
  return responses;
}

std::string responses_text(const std::vector<Example>& examples,
                           const std::vector<Tokens>& responses) {
  using Json = nlohmann::ordered_json;
  std::string text;
  for (size_t i = 0; i < examples.size(); ++i) {
    text += Json({{"id", examples[i].id}, {"response", detokenize(responses[i])}}).dump() + "\n";
  }
  return text;
}

bool ResponseSieve::passes(const Tokens& response, const std::string& human) {
  const std::string text = detokenize(response);
  int64_t* reason = nullptr;
  if (text.empty()) {
    reason = &counts_.empty;
  } else if (rules_.unknown && std::count(response.begin(), response.end(), "<unk>") > 0) {
    reason = &counts_.unknown;
  } else if (rules_.as_people && text == human) {
    reason = &counts_.as_people;
  } else if (rules_.repeated && !seen_.insert(text).second) {
    reason = &counts_.repeated;
  }
  if (reason) ++*reason;
  return !reason;
}

std::string ResponseSieve::Counts::text() const {
  return "left out: " + std::to_string(empty) + " empty, " + std::to_string(repeated) +
         " repeated, " + std::to_string(unknown) + " with <unk>, " + std::to_string(as_people) +
         " equal to the human one";
}

ResponseQuality measure_responses(const std::vector<Tokens>& responses,
                                  const std::vector<Tokens>& references) {
  if (responses.empty()) throw UsageError("responses: there are none to measure");
  size_t words = 0;
  for (const Tokens& response : responses) words += response.size();
  return {corpus_bleu(responses, references), distinct_n(responses, 1), distinct_n(responses, 2),
          static_cast<double>(words) / static_cast<double>(responses.size()),
          static_cast<int64_t>(responses.size())};
}

std::optional<double> extrema_own(const Responder& model, const Vocabulary& vocabulary,
                                  const std::vector<Tokens>& responses,
                                  const std::vector<Tokens>& references) {
  Var table;
  for (const NamedParameter& p : parameters(model)) {
    if (p.name == "decoder.embedding.weight") table = p.var;
    if (p.name == "encoder.embedding.weight" && !table.defined()) table = p.var;
  }
  if (!table.defined()) return {};
  const Tensor rows = table.value().to(Device()).to(DType::f32);
  const int64_t width = rows.shape()[1];
  return vector_extrema(responses, references, [&](const std::string& word) {
    const int32_t id = vocabulary.id_of_word(word);
    return id == kUnk ? std::span<const float>()
                      : std::span<const float>(rows.data<float>() + id * width, width);
  });
}

std::vector<double> distances(const ContextEncoder& encoder, const std::vector<Example>& examples,
                              const std::vector<Tokens>& responses, const Vocabulary& vocabulary,
                              size_t back, const std::vector<Tokens>& dull) {
  std::vector<ContextEncoder::Text> texts;
  std::vector<double> found;
  for (size_t i = 0; i < examples.size(); ++i) {
    const std::vector<Tokens> context = context_words(examples[i], vocabulary);
    if (context.size() <= back) continue;
    texts.push_back(encoder.read(detokenize(context[context.size() - 1 - back])));
    texts.push_back(encoder.read(detokenize(responses[i])));
    found.push_back(dull_penalty(responses[i], dull));
  }
  if (texts.empty()) return found;
  const Tensor x = encoder.encode_texts(std::move(texts), {});
  const int64_t width = x.shape()[1];
  for (size_t i = 0; i < found.size(); ++i) {
    const float *a = x.data<float>() + 2 * i * width, *b = a + width;
    const double ab = std::inner_product(a, a + width, b, 0.0),
                 aa = std::inner_product(a, a + width, a, 0.0),
                 bb = std::inner_product(b, b + width, b, 0.0);
    found[i] *= 1 - (aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0);
  }
  return found;
}

Echoes echoes_of(const std::vector<Dialogue>& dialogues) {
  std::vector<Tokens> utterances;
  for (const Dialogue& d : dialogues) {
    for (const Turn& turn : d.turns) utterances.push_back(tokenize(turn.text));
  }
  return Echoes(utterances);
}

}  // namespace heed
