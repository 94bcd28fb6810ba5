// The questions that every row of the op table is asked.
#include "tests/autograd/op_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "autograd/gradcheck.h"
#include "tensor/parallel.h"
#include "tests/devices.h"
#include "tests/paths.h"

namespace heed {
namespace {

std::vector<Array> draw(const std::vector<Shape>& shapes, const Domain& domain) {
  Rng rng(11, "op table");
  std::vector<Array> inputs;
  for (const Shape& shape : shapes) {
    Array x{shape, std::vector<double>(shape.numel())};
    for (double& v : x.v) {
      do v = static_cast<float>(domain.low + (domain.high - domain.low) * rng.uniform());
      while (std::abs(v) < domain.apart);
    }
    inputs.push_back(std::move(x));
  }
  return inputs;
}

std::vector<Tensor> tensors(const std::vector<Array>& inputs, DType dtype) {
  std::vector<Tensor> result;
  for (const Array& x : inputs) result.push_back(Tensor::from(x.v, x.shape).to(dtype));
  return result;
}

std::vector<Var> constants(const std::vector<Shape>& shapes, DType dtype = DType::f64) {
  std::vector<Var> result;
  for (const Shape& shape : shapes) result.push_back(Tensor::full(shape, 1, dtype));
  return result;
}

// The value of an op and its gradient for L = sum_i r_i y_i with fixed random r.
struct Result {
  Tensor value;
  std::vector<Tensor> grads;
};

Var weighted_sum(const Var& y) {
  Rng rng(5, "op table projection");
  std::vector<double> weights(y.value().numel());
  for (double& w : weights) w = static_cast<float>(2 * rng.uniform() - 1);
  return sum(mul(y, Tensor::from(weights, y.shape()).to(y.dtype()).to(y.device())));
}

Result run(const OpCase& row, const std::vector<Tensor>& inputs) {
  std::vector<Var> leaves;
  for (const Tensor& x : inputs) leaves.push_back(Var::parameter(x));
  const Var y = row.call(leaves);
  weighted_sum(y).backward();
  Result result{y.value(), {}};
  for (const Var& leaf : leaves) {
    result.grads.push_back(leaf.grad().defined() ? leaf.grad() : zeros_like(leaf.value()));
  }
  return result;
}

// The largest difference, as a part of the largest element of b (or of 1 if that is larger).
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0, scale = 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    scale = std::max(scale, std::abs(b[i]));
    worst = std::isnan(a[i] - b[i]) ? INFINITY : std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst / scale;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         (a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

// The message of an expected error.
template <class F> std::string error_text(F f) {
  try {
    f();
  } catch (const InternalError& e) {
    return std::string("InternalError: ") + e.what();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

class OpTable : public testing::TestWithParam<OpCase> {
 protected:
  ~OpTable() override {
    set_num_threads(0);
    table_device() = {};
  }
  const OpCase& row() const { return GetParam(); }
  std::vector<Tensor> inputs(const std::vector<Shape>& shapes, DType dtype = DType::f64) const {
    return tensors(draw(shapes, row().domain), dtype);
  }
  // Of i32 an op gives the same numbers as of f64, in i32.
  void expect_integers_alike() const {
    for (const Device device : test_devices()) {
      table_device() = device;
      for (const auto& shapes : {row().shapes, row().one, row().large, row().empty}) {
        if (shapes == row().empty && !row().refuses_empty.empty()) continue;
        std::vector<Var> whole, wide;
        for (const Shape& shape : shapes) {
          whole.push_back(pattern(shape, 23, 7).to(device));
          wide.push_back(whole.back().value().to(DType::f64));
        }
        const Tensor y = row().call(whole).value();
        EXPECT_EQ(y.dtype(), DType::i32);
        EXPECT_EQ(y.to_vector(), row().call(wide).value().to_vector());
      }
    }
  }
};

TEST_P(OpTable, ValueAgreesWithPlainLoops) {
  for (const auto& shapes : {row().shapes, row().one, row().large}) {
    const std::vector<Array> arrays = draw(shapes, row().domain);
    EXPECT_LT(
        difference(run(row(), tensors(arrays, DType::f64)).value.to_vector(), row().naive(arrays)),
        1e-12);
  }
}

TEST_P(OpTable, GradientAgreesWithCentralDifferences) {
  for (const auto& shapes : {row().shapes, row().one}) {
    const GradCheck check = check_gradient(row().call, inputs(shapes));
    EXPECT_LT(check.max_error, 1e-6) << check.worst;
  }
}

// The same on sizes that are cut into pieces, along one random direction d:  dL/dd = grad . d
TEST_P(OpTable, GradientOfLargeInputsAgreesAlongADirection) {
  const std::vector<Array> x = draw(row().large, row().domain);
  const Result at_x = run(row(), tensors(x, DType::f64));
  Rng rng(2, "direction");
  constexpr double kStep = 1e-6;
  std::vector<Array> ahead = x, behind = x;
  double analytic = 0, squares = 1e-4;
  for (size_t i = 0; i < x.size(); ++i) {
    const std::vector<double> grad = at_x.grads[i].to_vector();
    for (size_t k = 0; k < grad.size(); ++k) {
      const double d = rng.below(2) ? 1 : -1;
      ahead[i].v[k] += kStep * d;
      behind[i].v[k] -= kStep * d;
      analytic += grad[k] * d;
      squares += grad[k] * grad[k];
    }
  }
  NoGrad guard;
  const auto loss = [&](const std::vector<Array>& at) {
    const std::vector<Tensor> inputs = tensors(at, DType::f64);
    return weighted_sum(row().call({inputs.begin(), inputs.end()})).value().item();
  };
  const double numeric = (loss(ahead) - loss(behind)) / (2 * kStep);
  EXPECT_LT(std::abs(numeric - analytic) / std::sqrt(squares), 1e-5);
}

TEST_P(OpTable, F32AgreesWithF64) {
  for (const auto& shapes : {row().shapes, row().one}) {
    const Result narrow = run(row(), inputs(shapes, DType::f32)), wide = run(row(), inputs(shapes));
    EXPECT_EQ(narrow.value.dtype(), DType::f32);
    EXPECT_LT(difference(narrow.value.to_vector(), wide.value.to_vector()), 1e-5);
    for (size_t i = 0; i < wide.grads.size(); ++i) {
      EXPECT_LT(difference(narrow.grads[i].to_vector(), wide.grads[i].to_vector()), 1e-5)
          << "gradient of input " << i;
    }
  }
}

// Values and gradients, of sizes down to nothing and up to more than one block of threads.
TEST_P(OpTable, CudaAgreesWithTheCpu) {
  if (!has_cuda()) GTEST_SKIP() << kNoCuda;
  for (DType dtype : {DType::f64, DType::f32}) {
    for (const auto& shapes : {row().shapes, row().one, row().large, row().empty}) {
      // cuBLAS adds the products of a row one after the other: the 30,000 classes of this one cost
      // 1.1e-5 on an H100.
      const bool long_rows = shapes == row().large && row().op.starts_with("linear_cross_entropy");
      const double tolerance = dtype == DType::f64 ? 1e-12 : long_rows ? 2e-5 : 1e-5;
      if (shapes == row().empty && !row().refuses_empty.empty()) continue;
      std::vector<Tensor> x = inputs(shapes, dtype);
      const Result expected = run(row(), x);
      for (Tensor& t : x) t = t.to(kCuda);
      table_device() = kCuda;
      const Result got = run(row(), x);
      table_device() = {};
      EXPECT_EQ(got.value.device(), kCuda);
      EXPECT_LT(difference(got.value.to_vector(), expected.value.to_vector()), tolerance);
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_LT(difference(got.grads[i].to_vector(), expected.grads[i].to_vector()), tolerance)
            << "gradient of input " << i;
      }
    }
  }
}

// Exercises the branches for inputs that need no gradient.
TEST_P(OpTable, EachGradientIsTheSameWithoutTheOthers) {
  const std::vector<Tensor> x = inputs(row().shapes);
  const Result all = run(row(), x);
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<Var> vars(x.begin(), x.end());
    vars[i] = Var::parameter(x[i]);
    weighted_sum(row().call(vars)).backward();
    EXPECT_LT(difference(vars[i].grad().to_vector(), all.grads[i].to_vector()), 1e-13)
        << "input " << i;
  }
}

TEST_P(OpTable, GradientsAddToWhatIsThere) {
  const std::vector<Tensor> x = inputs(row().shapes);
  const Result once = run(row(), x);
  std::vector<Var> leaves;
  for (const Tensor& t : x) leaves.push_back(Var::parameter(t));
  Var total = weighted_sum(row().call(leaves)) + weighted_sum(row().call(leaves));
  for (const Var& leaf : leaves) total = total + sum(leaf);
  total.backward();
  for (size_t i = 0; i < x.size(); ++i) {
    std::vector<double> expected = once.grads[i].to_vector();
    for (double& g : expected) g = 2 * g + 1;
    EXPECT_LT(difference(leaves[i].grad().to_vector(), expected), 1e-12) << "input " << i;
  }
}

TEST_P(OpTable, AnyNumberOfThreadsGivesTheSameBits) {
  const std::vector<Tensor> x = inputs(row().large, DType::f32);
  set_num_threads(1);
  const Result one = run(row(), x);
  for (int threads : {2, 4}) {
    set_num_threads(threads);
    const Result many = run(row(), x);
    EXPECT_TRUE(same_bits(one.value, many.value)) << threads << " threads";
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_TRUE(same_bits(one.grads[i], many.grads[i]))
          << threads << " threads, gradient of input " << i;
    }
  }
}

TEST_P(OpTable, TakesEmptyInputsOrSaysWhyNot) {
  int64_t smallest = 1;
  for (const Shape& shape : row().empty) smallest = std::min(smallest, shape.numel());
  ASSERT_EQ(smallest, 0) << "the row has no empty input";
  if (!row().refuses_empty.empty()) {
    EXPECT_EQ(error_text([&] { (void)row().call(constants(row().empty)); }), row().refuses_empty);
    return;
  }
  const std::vector<Array> arrays = draw(row().empty, row().domain);
  const Result result = run(row(), tensors(arrays, DType::f64));
  EXPECT_LT(difference(result.value.to_vector(), row().naive(arrays)), 1e-12);
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(result.grads[i].shape(), arrays[i].shape);
    EXPECT_LT(difference(result.grads[i].to_vector(), result.grads[i].to_vector()), 1) << "NaN";
  }
}

TEST_P(OpTable, SaysWhatIsWrong) {
  EXPECT_NE(row().any_shape, !row().wrong.empty() || !row().misuse.empty());
  for (const WrongShapes& wrong : row().wrong) {
    EXPECT_EQ(error_text([&] { (void)row().call(constants(wrong.shapes)); }), wrong.message);
  }
  for (const Misuse& misuse : row().misuse) EXPECT_EQ(error_text(misuse.call), misuse.message);
}

TEST_P(OpTable, RefusesMixedAndIntegerElementTypes) {
  for (size_t i = 0; row().shapes.size() > 1 && i < row().shapes.size(); ++i) {
    std::vector<Var> vars = constants(row().shapes);
    vars[i] = Tensor::full(row().shapes[i], 1, DType::f32);
    EXPECT_NE(error_text([&] { (void)row().call(vars); }).find(": element types differ"),
              std::string::npos)
        << error_text([&] { (void)row().call(vars); });
  }
  // Views, and what only moves or counts.
  for (const char* of_any : {"reshape(", "rows(", "squeeze(", "gather_rows(", "gather_along(",
                             "pick(", "concat(", "split(", "slice(", "stack(", "transpose(",
                             "expand(", "permute(", "select(", "where(", "sum(", "max("}) {
    if (row().op.starts_with(of_any)) return expect_integers_alike();
  }
  const std::string said =
      error_text([&] { (void)row().call(constants(row().shapes, DType::i32)); });
  EXPECT_TRUE(
      std::regex_match(said, std::regex("[a-z_0-9]+: element type i32: expected f32 or f64")))
      << said;
}

TEST_P(OpTable, NamesItselfWhereAnInputIsUndefined) {
  for (size_t i = 0; i < row().shapes.size(); ++i) {
    std::vector<Var> vars = constants(row().shapes);
    vars[i] = Var();
    const std::string text = error_text([&] { (void)row().call(vars); });
    if (text == "no error") continue;  // an optional input, such as a bias
    EXPECT_FALSE(text.starts_with("InternalError") || text.starts_with("tensor:"))
        << "input " << i << ": " << text;
  }
}

std::string test_name(const testing::TestParamInfo<OpCase>& info) {
  std::string name = std::to_string(info.index) + "_";
  for (char c : info.param.name()) {
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
    if (c == '+') name += "plus";
    if (c == '-') name += "minus";
    if (c == '*') name += "times";
    if (c == '/') name += "by";
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ops, OpTable, testing::ValuesIn(op_cases()), test_name);

// "const std::vector<Var>& parts" -> "std::vector<Var>"
std::string type_of(std::string parameter) {
  parameter = std::regex_replace(parameter, std::regex(R"(\s*=.*$)"), "");
  parameter = std::regex_replace(parameter, std::regex(R"(^\s*(const\s+)?)"), "");
  return std::regex_replace(parameter, std::regex(R"([&\s]*\s+\w+\s*$)"), "");
}

// The signatures of the ops that a header declares: "sum(Var, int)". What returns a Tensor has no
// gradient.
std::set<std::string> declared_functions(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string code = std::regex_replace(text.str(), std::regex("//[^\n]*"), "");
  code = std::regex_replace(code, std::regex("\n[^\n]*= delete;"), "");
  const std::regex declaration(
      R"((?:^|\n)(?:\[\[nodiscard\]\] )?(?:inline )?(?!Tensor )[\w:<>]+ (operator.|\w+)\(([^()]*)\))");
  std::set<std::string> found;
  for (std::sregex_iterator it(code.begin(), code.end(), declaration), end; it != end; ++it) {
    std::string signature = (*it)[1].str() + "(";
    std::stringstream parameters((*it)[2].str());
    bool first = true;
    for (std::string one; std::getline(parameters, one, ','); first = false) {
      signature += (first ? "" : ", ") + type_of(one);
    }
    found.insert(signature + ")");
  }
  return found;
}

TEST(OpTableRows, EveryDeclaredOpHasARowAndEveryRowAnOp) {
  const std::string folder = source_dir() + "/autograd/";
  std::set<std::string> declared = declared_functions(folder + "ops.h");
  declared.merge(declared_functions(folder + "composed.h"));
  EXPECT_GT(declared.size(), 50u);
  std::set<std::string> rows;
  for (const OpCase& row : op_cases()) rows.insert(row.op);
  for (const std::string& op : declared) {
    EXPECT_TRUE(rows.contains(op))
        << "a header declares " << op << ": give it a row in the op table";
  }
  for (const std::string& op : rows) {
    EXPECT_TRUE(declared.contains(op)) << "the op table has " << op << ", no header declares it";
  }
}

}  // namespace
}  // namespace heed
