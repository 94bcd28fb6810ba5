#include "train/group_sums.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

// Calls send(0), send(1) ... send(count - 1), each when it is ready: on a thread of its own as long
// as another one computes, and the rest on that one.
class Sender {
 public:
  Sender(size_t count, std::function<void(size_t)> send)
      : send_(std::move(send)), ready_(count, false) {}
  ~Sender() { stop(); }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Where the system gives no thread all is sent at the end.
  void start() {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
    }
  }
  void set_ready(size_t group) {
    const std::lock_guard lock(mutex_);
    ready_[group] = true;
    changed_.notify_one();
  }
  // The thread ends, after the group at hand; throws what it has met with.
  void join() {
    stop();
    if (failure_) std::rethrow_exception(failure_);
  }
  void send_rest() {
    while (sent_ < ready_.size()) send_(sent_++);
  }

 private:
  void run() {
    loop_alone();
    try {
      while (wait_for_next()) send_(sent_++);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  bool wait_for_next() {
    if (sent_ == ready_.size()) return false;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_ || ready_[sent_]; });
    return !stop_;
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  const std::function<void(size_t)> send_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> ready_;
  bool stop_ = false;
  size_t sent_ = 0;             // of the thread, as long as there is one
  std::exception_ptr failure_;  // its own
  std::thread thread_;
};

}  // namespace

Groups one_group(size_t parameters) {
  Groups groups(1, std::vector<size_t>(parameters));
  std::iota(groups[0].begin(), groups[0].end(), size_t{0});
  return groups;
}

// A sparse gradient is counted as nothing: it has few rows, for most tables.
Groups cut_in_groups(const std::vector<NamedParameter>& parameters,
                     const std::vector<size_t>& order) {
  constexpr int64_t kMost = 4;  // docs/scaling.md, "Overlap"
  const auto bytes_of = [&](size_t i) {
    const Var& p = parameters[i].var;
    return p.sparse_rows() ? 0 : p.value().bytes();
  };
  int64_t all = 0, in_group = 0;
  for (const size_t i : order) all += bytes_of(i);
  Groups groups(1);
  for (const size_t i : order) {
    if (in_group * kMost > all) {
      groups.emplace_back();
      in_group = 0;
    }
    groups.back().push_back(i);
    in_group += bytes_of(i);
  }
  return groups;
}

GroupSums::GroupSums(const std::vector<NamedParameter>& parameters, const Groups& groups,
                     Carrier* carrier)
    : parameters_(parameters),
      groups_(groups),
      carrier_(carrier),
      last_(parameters.size()),
      sums_(parameters.size()) {
  for (size_t g = 0; g < groups.size(); ++g) trees_.push_back(gradient_tree(parameters_of(g)));
}

std::vector<NamedParameter> GroupSums::parameters_of(size_t group) const {
  std::vector<NamedParameter> some;
  for (const size_t i : groups_[group]) some.push_back(parameters_[i]);
  return some;
}

void GroupSums::add(int piece) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    trees_[g].add({0, piece, take_gradients(parameters_of(g))});
  }
}

std::vector<size_t> GroupSums::add_last(int piece, int end, const Pass& backward) {
  std::vector<size_t> group_of(parameters_.size()), missing, order;
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (const size_t i : groups_[g]) group_of[i] = g;
    missing.push_back(groups_[g].size());
  }
  Sender sender(groups_.size(), [&](size_t g) { send(g, piece, end); });
  const double before = seconds_of_ranks();
  if (sends_beside()) sender.start();
  try {
    run(backward, [&](size_t i) {
      last_[i] = take_gradients({parameters_[i]})[0];
      order.push_back(i);
      if (--missing[group_of[i]] == 0) sender.set_ready(group_of[i]);
    });
  } catch (...) {
    sender.join();
    throw;
  }
  const double ended = now();
  sender.join();
  const double waited = now() - ended;
  if (carrier_) {
    carrier_->ranks().count_beside(std::max(seconds_of_ranks() - before - waited, 0.0));
  }
  sender.send_rest();
  put_gradients(parameters_, std::move(sums_));
  return order;
}

// A device has one stream: what is sent in the middle of a pass, the rest of the pass waits for.
bool GroupSums::sends_beside() const {
  return carrier_ && carrier_->ranks().any_thread() && groups_.size() > 1 &&
         !parameters_[0].var.device().is_cuda();
}

double GroupSums::seconds_of_ranks() const {
  return carrier_ ? carrier_->ranks().seconds() : 0;
}

// Tells `take` of each parameter when its gradient is complete: of those that the pass does not
// reach at its end, and of frozen ones at its beginning.
void GroupSums::run(const Pass& backward, const std::function<void(size_t)>& take) const {
  std::unordered_map<const Node*, size_t> open;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (const auto& node = parameters_[i].var.node()) {
      open[node.get()] = i;
    } else {
      take(i);
    }
  }
  backward([&](const Node& leaf) {
    if (const auto at = open.extract(&leaf)) take(at.mapped());
  });
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Var& p = parameters_[i].var;
    if (open.contains(p.node().get())) take(i);
    check_internal(!p.gradient().defined(), "a gradient grew after it was complete");
  }
}

// Touches nothing that the backward pass does: it may still run.
void GroupSums::send(size_t group, int piece, int end) {
  Gradients gradients;
  for (const size_t i : groups_[group]) gradients.push_back(std::move(last_[i]));
  GradientTree& tree = trees_[group];
  tree.add({0, piece, std::move(gradients)});
  for (int p = piece + 1; p < end; ++p) tree.add({0, p, Gradients(groups_[group].size())});
  Gradients sums = carrier_ ? sum_over_ranks(parameters_of(group), tree, *carrier_)
                            : std::move(tree.nodes()[0].value);
  for (size_t k = 0; k < sums.size(); ++k) sums_[groups_[group][k]] = std::move(sums[k]);
}

}  // namespace heed
