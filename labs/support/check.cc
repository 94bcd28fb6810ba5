#include "labs/support/check.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <utility>

#include "tensor/allocator.h"

namespace heed {

// In the labs' programs memory that was allocated and not written is full of NaN, that of a block
// that is used again, too: what is added to it shows. As much stands behind each block, so that
// what is read past its end shows, and what is written there. The linker brings allocate() here
// (cmake/HeedLabs.cmake). Of huge blocks only addresses are looked at: they stay untouched.
constexpr int64_t kBehind = lab::kSanitized ? 0 : 64, kHuge = int64_t{1} << 31;
constexpr unsigned char kFresh = 0xff;

std::shared_ptr<std::byte> real_allocate(int64_t bytes, Device device) asm(
    "__real__ZN4heed8allocateElNS_6DeviceE");
std::shared_ptr<std::byte> fresh(int64_t bytes,
                                 Device device) asm("__wrap__ZN4heed8allocateElNS_6DeviceE");

std::shared_ptr<std::byte> fresh(int64_t bytes, Device device) {
  const int64_t all = bytes + (lab::guards_blocks ? kBehind : 0);
  std::shared_ptr<std::byte> block = real_allocate(all, device);
  if (!device.is_cuda() && bytes < kHuge) std::memset(block.get(), kFresh, all);
  return block;
}

}  // namespace heed

namespace heed::lab {

bool guards_blocks = true;

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

static std::vector<Tensor> guarded;

// Behind an output: a signalling NaN, which a product by a number changes, unlike a quiet one.
static unsigned char guard(DType dtype, int64_t i) {
  const uint64_t bits = dtype == DType::f32   ? 0x7fa000007fa00000
                        : dtype == DType::f64 ? 0x7ff4000000000000
                                              : ~uint64_t{0};
  return static_cast<unsigned char>(bits >> 8 * (i % 8));
}

static int64_t behind(const Tensor& x) {
  return x.raw() && guards_blocks ? kBehind : 0;
}

Tensor unwritten(Shape shape, DType dtype) {
  const Tensor x = guarded.emplace_back(Tensor::full(shape, kUnwritten, dtype));
  auto* const end = reinterpret_cast<unsigned char*>(x.raw()) + x.bytes();
  for (int64_t i = 0; i < behind(x); ++i) end[i] = guard(dtype, i);
  return x;
}

// No view of a larger tensor: rows() and reshape() are what lab 1 takes out.
void expect_guards() {
  for (const Tensor& x : std::exchange(guarded, {})) {
    const auto* const end = reinterpret_cast<const unsigned char*>(x.raw()) + x.bytes();
    int64_t found = 0;
    while (found < behind(x) && end[found] == guard(x.dtype(), found)) ++found;
    if (found == behind(x)) continue;
    return expect(false,
                  text("element ", x.numel() + found / size_of(x.dtype()), " of an output of ",
                       x.numel(), " was written: there is none. Where does a loop end?"));
  }
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
  expected.suspects.emplace_back(
      "the gradient alone: it was assigned, and what was there before is lost",
      minus(want, before));
  expect_close(what + ", as it was added to what was there", minus(got, before), want, expected);
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
