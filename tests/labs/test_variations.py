"""The checks of variations against one solution of each family (variations/), and against mistakes in it."""
import unittest

import helpers
from heed_lab import report
from heed_lab.running import PASSED, run_check

STUDENT = "Ann Example"
# family: [(in the solution, in its place, what is said)]
MISTAKES = {
    "checkpoint": [
        ("return record(", "return add(mul(f(x), @p), mul(x, @q));\n  return record(", "the graph of f is still there"),
        ("mul(leaf, @q))", "mul(leaf, 0))", "the share of f alone"),
        ("mul(f(leaf), @p)", "f(leaf)", "p is missing"),
        ("y = add(mul(f(Var(at)), @p)", "y = add(mul(f(Var(at)), @p + 0.05)", "those of your name"),
        ("    y = add(mul(f(Var(at)), @p)", "    static Tensor kept;\n    const Var fx = f(Var(at));\n    kept = fx.value();\n    y = add(mul(fx, @p)", "the value of f is still there"),
        ("  return record(", "  return record(\"checkpoint\", y, {x}, [f, x](Tensor dy, const Grads&) {\n    sum(mul(add(mul(f(x), @p), mul(x, @q)), Var(dy))).backward();\n  });\n  return record(",
         "without what the other reader of x gives"),
        ("dx.add(0, leaf.grad());", "if (dy.numel() > 1) dx.add(0, leaf.grad());", "nothing arrived here"),
        ("mul(f(leaf), @p)", "mul([&] { static const auto kept = f; return kept(leaf); }(), @p)", "each has its own f"),
    ],
    "gated": [
        ("dy.data<double>()[i] * ", "", "the slope alone, not times dy"),
        ("@p / (@p + std::exp(-z))", "@p * std::exp(z) / (1 + @p * std::exp(z))", "Not a finite number"),
        ("return record(", "return mul(x, tanh(log(add(mul(exp(mul(x, @q)), @p), 1.0))));\n  return record(", "not one node"),
        ("[at](Tensor", "[at, kept = at.clone(), more = at.clone()](Tensor", "y and one more are enough"),
        ("slope = empty_like(at)", "slope = at", "x is read, and not written to"),
    ],
    "rational": [
        ("(3 * v * v + @p)", "(3 * v * v - @p)", "differentiate from the outside"),
        ("slope = empty_like(at)", "slope = dy", "dy is read, and not written to"),
        ("    const Tensor slope", "    static const Tensor slope", "is something kept of the first time"),
        ("return record(", "const Var s = square(x);\n  return div(mul(x, add(s, @p)), add(s, @q));\n  return record(", "not one node"),
    ],
    "focal": [
        ("dloss[r] * ", "", "right but for dloss"),
        ("double log = x[t] == max ? -std::log1p(others) : logs[t]", "double log = std::log(std::exp(logs[t]))", "Not a finite number"),
        ("double log = x[t] == max ? -std::log1p(others) : logs[t]", "double log = logs[t]", "y_t is 1 but for a little"),
        ("rest = -std::expm1(log)", "rest = 1 - std::exp(log)", "log1p and expm1"),
        ("outer * ((i == t) - std::exp(logs[i]))", "outer * ((i == t) - 0.5 * std::exp(logs[i]))", "d(ln y_i)/dx_j"),
        ("x[t] == max ? -std::log1p(others) : logs[t]", "-std::log1p(others)", "Not a finite number"),
        ("for (int64_t i = 0; i < cols; ++i) sum +=", "for (int64_t i = 0; i < std::min<int64_t>(cols, 64); ++i) sum +=", "those of your name"),
    ],
    "coupled": [
        ("d * (g - c_prev[k])", "d * g", "one for each place"),
        ("dc[k] + dh[k]", "dh[k]", "right without dc"),
        ("const double d = dc[k] + dh[k] * o * (1 - t * t) * @q;", "const double d = dc[k];", "right without dh"),
        ("return 1 / (1 + std::exp(-x));", "const double e = std::exp(x);\n  return e / (1 + e);", "Not a finite number"),
    ],
    "peephole": [
        (" + @p * da[3 * n + k]", "", "two ways to the loss"),
        ("d * f + @p * da[k] + @q * da[n + k]", "d * f", "one for each place"),
        ("const double i = s(a[k] + @p * c_prev[k]),", "const_cast<double*>(c_prev)[k] *= 1 + 1e-9;\n    const double i = s(a[k] + @p * c_prev[k]),", "was written to: they are read"),
    ],
    "nesterov": [
        ("rate * (d + @m * v[i])", "rate * v[i]", "plain momentum"),
        ("dx[i] + @w * x[i]", "dx[i]", "the decay is missing"),
        ("i < n; ++i", "i < n / 4 * 4; ++i", "those of your name"),
    ],
    "warm_up": [
        ("static_cast<double>(step + 1)", "static_cast<double>(step)", "one step late"),
        ("std::min", "std::max", "it rises for k steps"),
        ("return peak * ", "return std::min(peak, 1.0) * ", "those of your name"),
    ],
    "scaled": [
        (" * s[l]", "", "A B without s"),
        ("c[i * ldc + j] *= @q", "c[i * ldc + j] = 0", "what C held before is lost"),
        ("c[i * ldc + j] += factor", "c[i * n + j] += factor", "what lies beside C in memory was written to"),
        ("i < m; ++i", "i < (m + 3) / 4 * 4; ++i", "what lies beside C in memory was written to"),
        ("l < k; ++l", "l < k && l < 128; ++l", "those of your name"),
        ("j < n; ++j) c[i * ldc + j] += factor", "j < n && j < 64; ++j) c[i * ldc + j] += factor", "those of your name"),
        ("l < k; ++l", "l < k / 2 * 2; ++l", "those of your name"),
        ("c[i * ldc + j] *= @q", "c[i * ldc + j] *= 1", "q is missing"),
        ("@p * a[", "@q * a[", "those of your name"),
        ("c[i * ldc + j] *= @q", "c[i * ldc + j] *= @p * @q", "q C, too"),
        ("      const double factor = @p * a[i * lda + l] * s[l];", "      const_cast<double*>(a)[i * lda + l] *= s[l];\n      const double factor = @p * a[i * lda + l];", "A, s or B was written to"),
        ("l < k; ++l", "l < k && l < 4096; ++l", "those of your name"),
    ],
    "earlier": [
        ("std::min<int64_t>(cols, @s * row)", "cols", "the mask is missing"),
        ("gpu::row_max(x + at, seen)", "seen > 0 ? T(0) : gpu::row_max(x + at, 0)", "Not a finite number"),
        ("i < seen; i += blockDim.x) {\n    sum += math::exp((x[at + i] - max) / T(@p));",
         "i < cols; i += blockDim.x) {\n    const T v = i < seen ? x[at + i] : -T(INFINITY);\n    sum += math::exp((v - max) / T(@p));",
         "sees no column, and its y is NaN"),
        ("i < seen; i += blockDim.x) {\n    sum +=", "i < cols; i += blockDim.x) {\n    const T v = x[at + i];\n    if (i < seen && v == v) sum +=",
         "one that this thread has nothing to do with"),
        ("if (threadIdx.x == 0) y[row]", "y[row]", "between the same two barriers"),
        ("(int64_t i = threadIdx.x; i < seen; i += blockDim.x)",
         "(int64_t n = (seen + blockDim.x - 1) / blockDim.x, i = threadIdx.x * n; i < seen && i < (threadIdx.x + 1) * n; ++i)", "are scattered"),
    ],
    "own": [
        ("max + T(@p) * std::log(sum)", "max / T(@p) + std::log(sum)", "the logarithm, not times p"),
        ("@s * row", "(@s + 1) * row", "those of your name"),
        ("  if (threadIdx.x == 0) y[row] =", "  __syncthreads();\n  if (threadIdx.x == 0) y[row] =", "5 barriers in each block, where 4 do"),
        ("gpu::row_max(x + at + begin, end - begin)", "begin < end ? T(x[at + begin]) : T(-INFINITY)", "the largest that the row sees"),
        ("y[row] = max + T(@p) * std::log(sum)", "y[row] = begin < end ? max + T(@p) * std::log(sum) : T(0)", "sees no column, and its y is 0"),
    ],
    "tall": [
        ("std::vector<double> sums", "std::vector<float> sums", "loses digits"),
        (" + (i == j ? @q : 0.0)", "", "q stands only where i = j"),
        ("for (int64_t r = 0; r < rows; ++r, a += cols) {", "for (int64_t r = 0; r < rows / 2 * 2; ++r, a += cols) {", "the sum is over all rows"),
        ("@p * sums[i * cols + j] + (i == j ? @q : 0.0)", "@p * (sums[i * cols + j] + (i == j ? @q : 0.0))", "q, which p multiplies, too"),
        ("@p * sums", "sums", "without p, the factor of each sum"),
        ("  for (int64_t i = 0; i < cols; ++i) {\n    for (int64_t j = 0; j < cols; ++j) {\n      c[", "  for (int64_t i = 0; i < cols && i < 4; ++i) {\n    for (int64_t j = 0; j < cols; ++j) {\n      c[", "were never written"),
        ("r < rows; ++r", "r < rows - (rows % 4 == 3); ++r", "the sum is over all rows"),
    ],
    "sink": [
        ("double sum = std::exp(@z - max)", "double sum = 0", "a softmax without the sink"),
        (" + ds * query[i]", "", "w_j dcontext alone"),
        ("(dw[j] - mean)", "dw[j]", "the sink's dw is 0"),
        ("    max = std::max(max, w[j]);\n", "", "Not a finite number"),
        ("for (int64_t j = 0; j < n; ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "for (int64_t j = 0; j < std::min<int64_t>(n, 16); ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "those of your name"),
        ("for (int64_t j = 0; j < n; ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "for (int64_t j = 0; j < std::min<int64_t>(n, 128); ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "those of your name"),
        ("double sum = std::exp(@z - max)", "double sum = n == 1 ? 0 : std::exp(@z - max)", "a softmax without the sink"),
    ],
    "quantile": [
        ("k < q - 1", "k < q", "the query counts"),
        ("if (a.empty() || b.empty()) return false;", "if (a.empty() || b.empty()) return *ratio = 0, true;", "it is undefined"),
        ("if (a.empty() || b.empty()) return false;", "if (a.size() < 2 || b.size() < 2) return false;", "the ratio is called undefined"),
        ("quantile(b, @v)", "quantile(b, @u)", "those of your name"),
        ("(is_distraction[k] ? a : b).push_back(scores[k]);", "{ if (is_distraction[k]) a.push_back(scores[k]); b.push_back(scores[k]); }", "the distractions in the history, too"),
        ("k < q - 1", "k < std::min<int64_t>(q - 1, 64)", "those of your name"),
    ],
    "weighted": [
        ("k < q - 1", "k < q", "the query counts"),
        ("sums[1] / totals[1] / (sums[0] / totals[0])", "sums[0] / totals[0] / (sums[1] / totals[1])", "upside down"),
    ],
    "neighbour": [
        ("(t + @k) % cols", "std::min<int64_t>(t + @k, cols - 1)", "those of your name"),
        ("dloss[r] * ", "", "right but for dloss"),
        ("(t + @k) % cols", "(t - @k + cols) % cols", "those of your name"),
        ("const double max = *std::max_element(x, x + cols);", "const double max = 0;", "Not a finite number"),
        ("r < rows; ++r", "r < std::min<int64_t>(rows, 8); ++r", "were never written"),
    ],
}


class Variations(unittest.TestCase):
    def judge(self, lab, family, text, name):
        """The verdicts, with three seeds, of a solution in which @p stands for the student's p."""
        task = lab.variation.task(family, "salt", STUDENT, "")
        lab.assigned = [task]
        for number, value in task.numbers.items():
            text = text.replace("@" + number, str(value))
        program = helpers.program(lab, {lab.variation.file: text}, f"{family}-{name}")
        return [run_check(program, task.checks[0], seed) for seed in (1, 2, 3)]

    def solution(self, lab, family):
        return (helpers.HERE / f"variations/{lab.number:02}-{family}.cc").read_text()

    @helpers.for_each_lab
    def test_solutions_pass(self, lab):
        for family in lab.variation.families if lab.variation else ():
            verdicts = self.judge(lab, family, self.solution(lab, family), "right")
            self.assertEqual([v.message for v in verdicts if v.status != PASSED], [], family)

    @helpers.for_each_lab
    def test_numbers_of_others_do_not(self, lab):
        for family in lab.variation.families if lab.variation else ():
            text, other = self.solution(lab, family), lab.variation.numbers(family, "salt", "Bob Example")
            self.assertNotEqual(other, lab.variation.numbers(family, "salt", STUDENT))
            for number, value in other.items():
                text = text.replace("@" + number, str(value))
            self.assertIn("those of your name", self.judge(lab, family, text, "other")[0].message)


class Mistakes(unittest.TestCase):
    judge, solution = Variations.judge, Variations.solution

    @helpers.for_each_lab
    def test_are_caught_and_explained(self, lab):
        for family in lab.variation.families if lab.variation else ():
            for i, (old, new, says) in enumerate(MISTAKES[family]):
                with self.subTest(family=family, new=new):
                    text = self.solution(lab, family)
                    self.assertEqual(text.count(old), 1)
                    verdict = self.judge(lab, family, text.replace(old, new), i)[0]
                    self.assertIn(says, report.failure(lab, verdict))
