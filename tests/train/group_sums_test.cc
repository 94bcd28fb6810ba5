// Gradients that ranks send in groups while the backward pass goes on: the same bits, and an end
// whatever fails.
#include "train/group_sums.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <set>
#include <thread>

#include "autograd/node.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "tests/file_helpers.h"
#include "tests/train/ranks_helpers.h"
#include "tests/wait.h"
#include "train/step.h"

namespace heed {
namespace {

// Ranks that note what is sent by another thread than the one that has made them.
class Watched : public Ranks {
 public:
  explicit Watched(Ranks& ranks, bool any_thread = true)
      : Ranks(ranks.rank(), ranks.size()), ranks_(ranks), any_thread_(any_thread) {}

  bool any_thread() const override { return any_thread_; }
  int beside() const { return beside_; }        // calls of the other thread, done
  std::function<void(int beside)> before = {};  // comes before each of them

 private:
  std::vector<Bytes> deliver(const std::vector<std::string_view>& blocks) override {
    const bool other = std::this_thread::get_id() != main_;
    if (other && before) before(beside_);
    try {
      if (blocks.empty()) {
        ranks_.give_up();
        return {};
      }
      const std::vector<Bytes> got = ranks_.exchange(blocks);
      beside_ += other;
      return got;
    } catch (const OtherGaveUp&) {
      return {};
    }
  }

  Ranks& ranks_;
  const bool any_thread_;
  const std::thread::id main_ = std::this_thread::get_id();
  std::atomic<int> beside_{0};
};

// Words, layers of which each uses one more matrix, `shared`, and what has no gradient.
struct Tower : Module {
  Tower() {
    init(*this, 1);
    freeze(*this, "frozen");
  }
  void visit(Visitor& v) override {
    v("words", words);
    v("frozen", frozen);
    v("shared", shared.weight);
    for (int i = 0; i < 4; ++i) v("layer" + std::to_string(i), layers[i]);
    v("unused", unused);
  }
  Var loss(const std::vector<int64_t>& examples, const StepKey& key) const {
    std::vector<int32_t> ids;
    std::vector<double> targets;
    for (const int64_t i : examples) {
      ids.push_back(static_cast<int32_t>(i * i % 20));
      for (int k = 0; k < 6; ++k) targets.push_back(std::sin(static_cast<double>(6 * i + k)));
    }
    const DropoutMode drop{0.3, key.seed, key.number()};
    Var x = drop(words(Tensor::from(ids)), "words") + frozen;
    for (const Linear& layer : layers) {
      x = tanh(layer(tanh(shared(x))));
      if (&layer != &layers[0]) continue;
      x = record("before", x.value().clone(), {x}, [this](const Tensor& dy, const Grads& dx) {
        if (in_pass) in_pass();
        dx.add(0, dy);
      });
    }
    return mean(square(x - Var(Tensor::from(targets, {std::ssize(ids), 6}).to(DType::f32))));
  }
  Task task() {
    Task task;
    task.module = this;
    for (int64_t i = 0; i < 40; ++i) task.sizes.push_back(1 + i % 5);
    task.loss = [this](const std::vector<int64_t>& examples, const StepKey& key) {
      if (in_loss) in_loss();
      return Loss{loss(examples, key), std::ssize(examples)};
    };
    return task;
  }

  Embedding words{20, 6};
  Var frozen = Var::parameter(Shape{6}, constant_law(0.25));
  Linear shared{6, 6, /*with_bias=*/false};
  Linear layers[4] = {{6, 6}, {6, 6}, {6, 6}, {6, 6}};
  Var unused = Var::parameter(Shape{2, 2}, constant_law(1));
  std::function<void()> in_loss = {},
                        in_pass = {};  // of each piece; in_pass when layers 1 to 3 are done
};

constexpr int kPieces = 8;

// Of several sizes: the last pieces of some are empty, and ranks have none.
const std::vector<std::vector<int64_t>> kBatches = {
    {0, 1, 2, 3, 4, 5}, {6, 7, 8}, {9}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}};

using seconds_of = std::chrono::duration<double>;
using Numbers = std::vector<std::vector<double>>;  // of each parameter that has a gradient

Numbers gradients_of(Tower& model) {
  Numbers numbers;
  for (const NamedParameter& p : parameters(model)) {
    EXPECT_EQ(p.var.gradient().sparse(), p.name == "words.weight") << p.name;
    EXPECT_EQ(p.var.gradient().defined(), p.name != "unused" && p.name != "frozen") << p.name;
    if (p.var.gradient().defined()) numbers.push_back(p.var.grad().to_vector());
  }
  return numbers;
}

Numbers step(PiecewiseGradients& gradients, Tower& model, size_t n) {
  StepKey key;
  key.step = static_cast<int64_t>(n);
  gradients.compute_gradients(model.task(), kBatches[n % kBatches.size()], key).sum();
  return gradients_of(model);
}

std::vector<Numbers> steps(Ranks& ranks) {
  Tower model;
  PiecewiseGradients gradients(kPieces, ranks);
  std::vector<Numbers> all;
  for (size_t n = 0; n < kBatches.size(); ++n) all.push_back(step(gradients, model, n));
  return all;
}

// The same with nothing but backward passes and the tree.
Numbers plain(size_t n, int count = kPieces) {
  Tower model;
  const Task task = model.task();
  const std::vector<NamedParameter> all = parameters(model);
  const auto pieces = cut_in_pieces(kBatches[n], task.sizes, count);
  GradientTree tree = gradient_tree(all);
  for (int p = 0; p < count; ++p) {
    const auto& examples = pieces[static_cast<size_t>(p)];
    StepKey key;
    key.step = static_cast<int64_t>(n);
    key.piece = p;
    const double weight =
        static_cast<double>(examples.size()) / static_cast<double>(kBatches[n].size());
    if (!examples.empty()) (weight * model.loss(examples, key)).backward();
    tree.add({0, p, take_gradients(all)});
  }
  put_gradients(all, std::move(tree.nodes()[0].value));
  return gradients_of(model);
}

// ---- groups

TEST(Groups, AreCutByBytesInTheOrderOfCompletion) {
  struct Net : Module {
    Var large = Var::parameter(Tensor::zeros({100, 4}));
    Var table = Var::parameter(Tensor::zeros({9999, 10}), /*sparse_rows=*/true);
    Var small[4] = {Var::parameter(Tensor::zeros({10, 8})), Var::parameter(Tensor::zeros({10, 8})),
                    Var::parameter(Tensor::zeros({10, 8})), Var::parameter(Tensor::zeros({10, 8}))};
    void visit(Visitor& v) override {
      v("large", large);
      v("table", table);
      for (int i = 0; i < 4; ++i) v("small" + std::to_string(i), small[i]);
    }
  } net;
  EXPECT_EQ(cut_in_groups(parameters(net), {5, 1, 4, 3, 0, 2}),
            (Groups{{5, 1, 4, 3}, {0}, {2}}));  // 240, 400 and 80 of 720 numbers
  EXPECT_EQ(one_group(3), (Groups{{0, 1, 2}}));
  // Of twelve as large ones a group is full with more than a quarter of all: with four.
  const std::vector<NamedParameter> same(12, {"p", Var::parameter(Tensor::zeros({5, 2}))});
  EXPECT_EQ(cut_in_groups(same, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
            (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
}

// ---- what is sent

TEST(GroupSums, HaveTheSameBitsForAnyNumberOfRanks) {
  const std::vector<Numbers> expected = steps(alone());
  for (size_t n = 0; n < kBatches.size(); ++n) EXPECT_EQ(expected[n], plain(n)) << n;
  for (const int count : {1, 2, 3, 4, 8}) {
    for (const bool any_thread : {true, false}) {
      on_ranks(count, [&](Ranks& ranks) {
        Watched watched(ranks, any_thread);
        EXPECT_EQ(steps(watched), expected) << count << any_thread;
        EXPECT_TRUE(any_thread || watched.beside() == 0);
      });
    }
  }
}

// One piece for each rank, of which all but the last layers wait for what has been sent.
// Rows that one piece looks up and the other multiplies by; the table is not of the first group.
TEST(GroupSums, ATableMayHaveRowsInOnePieceAndAllInAnother) {
  struct Tied : Module {
    Var bias = Var::parameter(Tensor::full({1}, 2));
    Var table = Var::parameter(Tensor::full({4, 2}, 0.5), /*sparse_rows=*/true);
    void visit(Visitor& v) override {
      v("bias", bias);
      v("table", table);
    }
  } model;
  const auto rows = [&](const std::vector<int32_t>& ids) {
    return sum(gather_rows(model.table, Tensor::from(ids)));
  };
  const auto all = [&] { return sum(square(model.table)) + sum(square(model.bias)); };
  const std::vector<NamedParameter> both = parameters(model);
  const Groups groups = {{0}, {1}};
  for (const bool sparse_first : {true, false}) {
    GroupSums sums(both, groups, nullptr);
    (sparse_first ? rows({1, 3, 1}) : all()).backward();
    sums.add(0);
    sums.add_last(1, 2, [&](const Var::OnComplete& complete) {
      (sparse_first ? all() : rows({1, 3, 1})).backward(complete);
    });
    EXPECT_EQ(model.table.grad().to_vector(), (std::vector<double>{1, 1, 3, 3, 1, 1, 2, 2}));
    EXPECT_EQ(model.bias.grad().to_vector(), (std::vector<double>{4}));
    zero_grad(model);
  }
}

TEST(GroupSums, AreSentWhileThePassGoesOn) {
  static constexpr int kRanks = 4;
  static constexpr double kCall = 0.05;
  on_ranks(kRanks, [](Ranks& ranks) {
    Watched watched(ranks);
    Tower model;
    PiecewiseGradients gradients(kRanks, watched);
    step(gradients, model, 0);
    EXPECT_EQ(watched.beside(), 0);  // nobody knows yet what is complete when
    watched.before = [](int) { std::this_thread::sleep_for(seconds_of(kCall)); };
    model.in_pass = [&] {
      EXPECT_TRUE(wait_until([&] { return watched.beside() >= 2; }));  // a group
      EXPECT_FALSE(model.layers[3].weight.gradient().defined());
    };
    const double before = watched.seconds();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(step(gradients, model, 3), plain(3, kRanks));
    const seconds_of took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(watched.seconds() - before, took.count() - 2 * kCall);  // those calls cost no time
  });
}

TEST(GroupSums, NoticeAGradientThatGrowsAfterItWasTaken) {
  Tower model;
  PiecewiseGradients gradients(kPieces, alone());
  model.in_pass = [&] { sum(square(model.layers[3].weight)).backward(); };
  EXPECT_EQ(error_of<InternalError>([&] { step(gradients, model, 0); }),
            "internal error: a gradient grew after it was complete");
}

// ---- what fails

// A step that fails on some ranks, and what all do then; after it they go on together.
void expect_common_end(const std::set<int>& failing, bool in_loss) {
  on_ranks(3, [&](Ranks& ranks) {
    ::alarm(60);
    Watched watched(ranks);
    Tower model;
    PiecewiseGradients gradients(kPieces, watched);
    step(gradients, model, 0);
    const auto fail = [&] {
      if (!in_loss) wait_until([&] { return watched.beside() > 0; });
      throw DataError("no more paper");
    };
    const PieceRange own = pieces_of_rank(ranks.rank(), ranks.size(), kPieces);
    int left = own.end - own.begin;  // pieces
    model.in_loss = [&] {
      if (--left > 0 || !failing.contains(ranks.rank())) return;
      if (in_loss) fail();
      model.in_pass = fail;
    };
    std::string why;
    try {
      step(gradients, model, 3);
      ADD_FAILURE() << "a step without what failed";
    } catch (const OtherGaveUp&) {
    } catch (const DataError& e) {
      why = e.what();
      watched.give_up();
    }
    std::set<std::string> whys;
    for (const std::string& of_rank : watched.gather(why)) whys.insert(of_rank);
    EXPECT_TRUE(whys.contains("no more paper"));
    model.in_loss = model.in_pass = {};
    EXPECT_EQ(step(gradients, model, 3), plain(3));
  });
}

TEST(GroupSums, ARankThatFailsEndsTheStepOfAll) {
  for (const std::set<int>& failing : {std::set{0}, {1}, {2}, {0, 2}, {0, 1, 2}}) {
    for (const bool in_loss : {true, false}) expect_common_end(failing, in_loss);
  }
}

// The error of the sending thread is what is seen, though the pass fails later.
TEST(GroupSums, ACarrierThatFailsEndsAll) {
  for (const bool pass_fails : {false, true}) {
    EXPECT_EQ(error_of<Error>([&] {
                on_ranks(2, [&](Ranks& ranks) {
                  ::alarm(60);
                  Watched watched(ranks);
                  std::atomic<bool> failed = false;
                  watched.before = [&](int beside) {
                    if (beside < 1 || ranks.rank() != 1) return;
                    failed = true;
                    throw Error("the network is down");
                  };
                  Tower model;
                  PiecewiseGradients gradients(2, watched);
                  step(gradients, model, 0);
                  model.in_pass = [&] {
                    wait_until([&] { return failed || ranks.rank() != 1; });
                    if (pass_fails && ranks.rank() == 1) throw Error("no more paper");
                  };
                  step(gradients, model, 3);
                });
              }),
              name_of_rank(1, 2) + ": the network is down");
  }
}

TEST(GroupSums, ARankThatDiesEndsAll) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of<Error>([] {
              on_ranks(3, [](Ranks& ranks) {
                ::alarm(60);
                Watched watched(ranks);
                Tower model;
                PiecewiseGradients gradients(4, watched);  // one of which is rank 1's
                step(gradients, model, 0);
                model.in_pass = [&] {
                  if (ranks.rank() != 1) return;
                  EXPECT_TRUE(wait_until([&] { return watched.beside() > 0; }));
                  ::raise(SIGKILL);
                };
                for (size_t n = 1;; ++n) step(gradients, model, n);
              });
            }),
            name_of_rank(1, 3) +
                ": was ended by signal 9 (Killed); the others were ended too; a training goes on "
                "with --resume");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace heed
