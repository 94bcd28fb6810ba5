#include "labs/support/check.h"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tensor/allocator.h"

namespace heed::lab {

bool fenced = false;

static std::vector<double> drawn;  // the first numbers of this check
static void note(double value) {
  constexpr size_t kTold = 16;
  if (drawn.size() < kTold) drawn.push_back(value);
}

static std::string name_of_check() {
  const testing::TestInfo* const info = testing::UnitTest::GetInstance()->current_test_info();
  return info ? info->name() : "figure";
}

Draw::Draw() : rng_(seed(), name_of_check()) {}

int64_t Draw::between(int64_t low, int64_t high) {
  const auto value = low + static_cast<int64_t>(rng_.below(static_cast<uint64_t>(high - low + 1)));
  note(static_cast<double>(value));
  return value;
}

double Draw::uniform(double low, double high) {
  const double value = low + (high - low) * rng_.uniform();
  note(value);
  return value;
}

Tensor Draw::normal(Shape shape, DType dtype) {
  return heed::normal(shape, 0, 1, {.seed = seed(), .purpose = rng_.next()}, dtype);
}

std::vector<int32_t> Draw::ids(int64_t count, int64_t below) {
  std::vector<int32_t> found(count);
  for (int32_t& id : found) id = static_cast<int32_t>(between(0, below - 1));
  return found;
}

std::vector<double> take_drawn() {
  return std::exchange(drawn, {});
}

Tensor unwritten(Shape shape, DType dtype) {
  return Tensor::full(shape, kUnwritten, dtype);
}

void run_check(void (*body)()) {
  constexpr std::clock_t kLong = 2 * CLOCKS_PER_SEC;  // twice of that is nearer to what a check may
  const std::clock_t begin = std::clock();
  fenced = false;
  body();
  const bool passed = !testing::Test::HasFailure() && !testing::Test::IsSkipped();
  if (kSanitized || !passed || std::clock() - begin > kLong) return;
  if_stopped(
      "What it computes is right, but it reads or writes past the end of a tensor: where does a "
      "loop end?");
  fenced = true;
  // What each run leaves behind: the first ones may find caches empty, and each thread may need
  // some blocks once.
  bool leaks = true;
  for (int run = 0; leaks && (run < 3 || std::clock() - begin < 3 * kLong) && run < 4; ++run) {
    const int64_t before = held, bytes = memory_stats().bytes_in_use;
    body();
    if (testing::Test::HasFailure()) {
      return expect(false,
                    "the same check, with the same numbers, passed a moment before: something is "
                    "kept from one call to the next (a static variable?), is never set, or is read "
                    "outside of what it belongs to.");
    }
    if (!judges_leaks) return;
    leaks = memory_stats().bytes_in_use > bytes || held > before;
  }
  expect(
      !mixes_deletes,
      "what it computes is right, but what `new[]` gives goes by `delete`, or what `new` gives by "
      "`delete[]`: `new` with brackets needs `delete` with brackets. A std::vector does it by "
      "itself.");
  expect(!leaks,
         "what it computes is right, but each run leaves more memory behind: what `new` gives has "
         "to go by `delete`, what malloc() gives by free(), and nothing that outlives a call may "
         "grow. std::vector, std::shared_ptr and Tensor give back what they hold by themselves.");
}

void expect_close(const std::string& what, const Tensor& got, const Tensor& want,
                  const Expected& expected) {
  compared(what, got, want, expected);
  const std::string problem = diagnose(what, got, want, expected);
  if (!problem.empty()) ADD_FAILURE() << problem;
}

void expect_added(const std::string& what, const Tensor& got, const Tensor& before,
                  const Tensor& want, Expected expected) {
  const auto minus = [](const Tensor& a, const Tensor& b) {
    std::vector<double> x = a.to_vector();
    const std::vector<double> y = b.to_vector();
    for (size_t i = 0; i < x.size(); ++i) x[i] -= y[i];
    return Tensor::from(x, a.shape());
  };
  const Tensor added = minus(got, before), alone = minus(want, before);
  const std::vector<double> due = want.to_vector();
  for (size_t i = 0; i < due.size(); ++i) {  // where nothing is due, nothing is assigned either
    if (due[i] == 0 && added.data<double>()[i] == 0) alone.data<double>()[i] = 0;
  }
  expected.suspects.emplace_back(
      "the gradient alone: it was assigned, and what was there before is lost", alone);
  expect_close(what + ", as it was added to what was there", added, want, expected);
}

void expect(bool ok, const std::string& what_is_wrong) {
  if (!ok) ADD_FAILURE() << "What it means: " << what_is_wrong;
}

Tensor central_differences(const std::function<double(const Tensor&)>& f, const Tensor& x,
                           double h) {
  const Tensor at = x.clone(), slopes = empty_like(x);
  auto* const values = at.data<double>();
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double here = values[i];
    values[i] = here + h;
    const double above = f(at);
    values[i] = here - h;
    slopes.data<double>()[i] = (above - f(at)) / (2 * h);
    values[i] = here;
  }
  return slopes;
}

void print_curves(const std::string& title, const std::string& x_label, const std::string& y_label,
                  const std::vector<double>& x,
                  const std::map<std::string, std::vector<double>>& lines,
                  const std::map<std::string, double>& facts) {
  std::cout << nlohmann::json{{"title", title}, {"x", x_label},   {"y", y_label},
                              {"values", x},    {"lines", lines}, {"facts", facts}}
            << "\n";
}

}  // namespace heed::lab
