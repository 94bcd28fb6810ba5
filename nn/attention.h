// Attention over ragged memories: query b attends to the rows of its own segment. All return the
// context and the weights. They differ in the score of a memory row k for a query q; Attention
// chooses one of them at run time:
//   dot      k . q                        Luong et al. 2015
//   general  k . (W q)                    Luong et al. 2015
//   additive v . tanh(W q + U k)          Bahdanau et al. 2015
#pragma once

#include <string>
#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"

namespace heed {

struct [[nodiscard]] Attended {
  Var context;  // (B, H): sum over the segment of weight x memory row
  Var weights;  // (P): softmax of the scores within each segment
};

// query (B, H), memory (M, H), B segments; throws ShapeError for another number of them, here and
// below. In a decoder's later steps, where fewer dialogues are still running, `segments.first(B)`
// are the segments of the first ones.
Attended attend(const Var& query, const Var& memory, const Segments& segments);

class AdditiveAttention : public Module {
 public:
  AdditiveAttention(int64_t query_size, int64_t memory_size, int64_t hidden);

  // What all calls with the same memory share, such as the steps of a decoder: U k is by far the
  // most work. For the whole memory, whichever segments are selected later.
  struct Memory {
    Var keys;    // (M, hidden): U k
    Var values;  // (M, H): the memory itself
  };
  Memory read(const Var& memory) const { return {memory_part(memory), memory}; }
  Attended operator()(const Var& query, const Memory& memory, const Segments& segments) const;
  Attended operator()(const Var& query, const Var& memory, const Segments& segments) const {
    return (*this)(query, read(memory), segments);
  }
  void visit(Visitor& v) override {
    v("query", query_part);
    v("memory", memory_part);
    v("score", score);
  }
  AdditiveAttention like() const {
    const Shape &u = query_part.weight.shape(), &w = memory_part.weight.shape();
    return {u[1], w[1], u[0]};
  }

  Linear query_part, memory_part, score;
};

enum class AttentionScore { kDot, kGeneral, kAdditive };
const std::vector<std::string>& attention_scores();  // "dot", "general", "additive"
std::string name_of(AttentionScore score);
AttentionScore parse_attention_score(const std::string& name);  // throws UsageError

// Attention by any of the scores, with its parameters: none, "project.weight", or "query.weight",
// "memory.weight" and "score.weight". The dot score needs queries as wide as the memory.
class Attention : public Module {
 public:
  using Memory = AdditiveAttention::Memory;  // has keys for the additive score only

  // `hidden` is the width of the additive score.
  Attention(AttentionScore score, int64_t query_size, int64_t memory_size, int64_t hidden);
  Memory read(const Var& memory) const;
  Attended operator()(const Var& query, const Memory& memory, const Segments& segments) const;
  void visit(Visitor& v) override;
  Attention like() const;

 private:
  std::vector<Linear> project_;  // one or none, and so below
  std::vector<AdditiveAttention> additive_;
};

}  // namespace heed
