// The op table: a row for each op that autograd/ops.h or composed.h declares. op_table_test.cc asks
// the same questions of every row.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "autograd/ops.h"

namespace heed {

// An input as the naive formulas see it.
struct Array {
  Shape shape;
  std::vector<double> v;

  double operator[](int64_t i) const { return v[i]; }
};

using In = const std::vector<Var>&;
using Arrays = const std::vector<Array>&;

// Input values are drawn from [low, high], at least `apart` away from 0.
struct Domain {
  double low = -1.5, high = 1.5, apart = 0;
};

struct WrongShapes {
  std::vector<Shape> shapes;
  std::string message;
};
struct Misuse {
  std::function<void()> call;
  std::string message;
};

struct OpCase {
  std::string op;            // as declared, without the names: "sum(Var, int)"
  std::string variant = {};  // where an op has several rows
  std::function<Var(In)> call;
  std::function<std::vector<double>(Arrays)> naive;  // the same by plain loops
  std::vector<Shape> shapes;                         // of the inputs
  std::vector<Shape> one;                            // the smallest call: one-element inputs
  std::vector<Shape> empty;                          // a call with size-0 inputs
  std::string refuses_empty = {};                    // what it says where that makes no sense
  std::vector<Shape> large;                          // more than one piece of parallel work
  Domain domain = {};
  bool any_shape = false;               // no shape is wrong
  std::vector<WrongShapes> wrong = {};  // `call` with shapes that do not fit
  std::vector<Misuse> misuse = {};      // other calls that must be refused

  std::string name() const { return op + (variant.empty() ? "" : ", " + variant); }
};

inline void PrintTo(const OpCase& row, std::ostream* out) {
  *out << row.name();
}  // GoogleTest

const std::vector<OpCase>& op_cases();

// The parts of the table.
std::vector<OpCase> elementwise_cases();
std::vector<OpCase> product_cases();
std::vector<OpCase> reduction_cases();
std::vector<OpCase> layout_cases();
std::vector<OpCase> sequence_cases();
std::vector<OpCase> multi_head_cases();
std::vector<OpCase> index_cases();
std::vector<OpCase> composed_cases();

// ---- for the rows

// Where the rows' calls put their own tensors (indices, masks, segments).
Device& table_device();
Tensor zeros_of(Shape shape, DType dtype = DType::f64);
// i32 of a shape: (i * factor + shift) % modulus, or none where modulus is 0.
Tensor pattern(Shape shape, int32_t modulus, int32_t factor = 1, int32_t shift = 0);
// `count` non-increasing positive lengths with the sum `total` >= count.
std::vector<int32_t> ragged_lengths(int64_t total, int64_t count);

}  // namespace heed
