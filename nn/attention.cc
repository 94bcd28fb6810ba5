#include "nn/attention.h"

#include "base/error.h"
#include "base/list.h"

namespace heed {

static void check_queries(const char* name, const Var& query, const Segments& segments) {
  check_shape(query.shape().rank() == 2 && query.shape()[0] == segments.count(), name, ": query ",
              query.shape(), ", expected a row for each of ", segments.count(), " segments");
}

Attended attend(const Var& query, const Var& memory, const Segments& segments) {
  check_queries("attend", query, segments);
  const Var weights = segment_softmax(segment_scores(query, memory, segments), segments);
  return {segment_context(weights, memory, segments), weights};
}

// The row of the memory of each score, (P, H). A view where they stand one after the other.
static Var looked_at(const Var& memory, const Segments& segments) {
  if (!segments.selected()) return rows(memory, 0, segments.total());
  std::vector<int32_t> ids;
  for (int64_t s = 0; s < segments.count(); ++s) {
    for (int64_t i = 0; i < segments.length(s); ++i) {
      ids.push_back(static_cast<int32_t>(segments.memory_begin(s) + i));
    }
  }
  return gather_rows(memory, Tensor::from(ids, memory.device()));
}

AdditiveAttention::AdditiveAttention(int64_t query_size, int64_t memory_size, int64_t hidden)
    : query_part(query_size, hidden, /*with_bias=*/false),
      memory_part(memory_size, hidden, /*with_bias=*/false),
      score(hidden, 1, /*with_bias=*/false) {}

Attended AdditiveAttention::operator()(const Var& query, const Memory& memory,
                                       const Segments& segments) const {
  check_queries("AdditiveAttention", query, segments);
  check_shape(memory.keys.shape()[0] == segments.memory_rows(), "AdditiveAttention: memory of ",
              memory.keys.shape()[0], " rows, the segments are of ", segments.memory_rows());
  std::vector<int32_t> query_of_score;
  for (int64_t b = 0; b < segments.count(); ++b) {
    query_of_score.insert(query_of_score.end(), segments.length(b), static_cast<int32_t>(b));
  }
  const int64_t used = segments.total();
  const Var q = gather_rows(query_part(query), Tensor::from(query_of_score, query.device()));
  const Var k = looked_at(memory.keys, segments);
  const Var weights = segment_softmax(reshape(score(tanh(q + k)), {used}), segments);
  return {segment_context(weights, memory.values, segments), weights};
}

const std::vector<std::string>& attention_scores() {
  static const std::vector<std::string> kNames = {"dot", "general", "additive"};
  return kNames;
}

std::string name_of(AttentionScore score) {
  return attention_scores()[static_cast<size_t>(score)];
}

AttentionScore parse_attention_score(const std::string& name) {
  for (size_t i = 0; i < attention_scores().size(); ++i) {
    if (name == attention_scores()[i]) return static_cast<AttentionScore>(i);
  }
  throw UsageError("attention: expected one of " + joined(attention_scores()) + ", got '" + name +
                   "'");
}

Attention Attention::like() const {
  Attention made(AttentionScore::kDot, 0, 0, 0);
  for (const Linear& project : project_) made.project_.push_back(project.like());
  for (const AdditiveAttention& additive : additive_) made.additive_.push_back(additive.like());
  return made;
}

Attention::Attention(AttentionScore score, int64_t query_size, int64_t memory_size,
                     int64_t hidden) {
  if (score == AttentionScore::kGeneral) {
    project_.emplace_back(query_size, memory_size, /*with_bias=*/false);
  }
  if (score == AttentionScore::kAdditive) additive_.emplace_back(query_size, memory_size, hidden);
}

Attention::Memory Attention::read(const Var& memory) const {
  return additive_.empty() ? Memory{{}, memory} : additive_[0].read(memory);
}

Attended Attention::operator()(const Var& query, const Memory& memory,
                               const Segments& segments) const {
  if (!additive_.empty()) return additive_[0](query, memory, segments);
  return attend(project_.empty() ? query : project_[0](query), memory.values, segments);
}

void Attention::visit(Visitor& v) {
  for (Linear& project : project_) v("project", project);
  for (AdditiveAttention& attention : additive_) attention.visit(v);
}

}  // namespace heed
