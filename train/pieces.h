// A batch is cut into pieces, whose gradients are summed in a fixed tree, so that the numbers do
// not depend on how many ranks share the pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace heed {

constexpr int kMostPieces = 1024;  // a power of two, like every number of pieces

// Cuts the examples of a batch into `pieces` pieces of about equal cost, by the sizes of the
// examples. It is a function of the batch only. With more pieces than examples, some are empty.
std::vector<std::vector<int64_t>> cut_in_pieces(const std::vector<int64_t>& batch,
                                                const std::vector<int64_t>& sizes, int pieces);

// The pieces [begin, end) of a rank.
struct PieceRange {
  int begin, end;
};
PieceRange pieces_of_rank(int rank, int ranks, int pieces);

// Sums values 0, 1 ... 2^k - 1 in a fixed tree: 0 + 1, 2 + 3 ..., then (0 + 1) + (2 + 3) ... The
// owner of some consecutive values sums those that belong together and hands in the rest. It holds
// at most k + 1 values.
template <class Value> class TreeSum {
 public:
  using Add = std::function<Value(Value, Value)>;
  // The sum of the values [index 2^level, (index + 1) 2^level).
  struct Node {
    int level;
    int64_t index;
    Value value;
  };

  explicit TreeSum(Add add) : add_(std::move(add)) {}

  // Call it in the order of the values.
  void add(Node node) {
    while (!nodes_.empty() && node.index % 2 == 1 && nodes_.back().level == node.level &&
           nodes_.back().index + 1 == node.index) {
      Value sum = add_(std::move(nodes_.back().value), std::move(node.value));
      node = {node.level + 1, node.index / 2, std::move(sum)};
      nodes_.pop_back();
    }
    nodes_.push_back(std::move(node));
  }
  std::vector<Node>& nodes() { return nodes_; }  // a single one once all values are there

 private:
  Add add_;
  std::vector<Node> nodes_;
};

}  // namespace heed
