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
    ],
    "coupled": [
        ("d * (g - c_prev[k])", "d * g", "one for each place"),
        ("dc[k] + dh[k]", "dh[k]", "right without dc"),
        ("const double d = dc[k] + dh[k] * o * (1 - t * t) * @q;", "const double d = dc[k];", "right without dh"),
    ],
    "peephole": [
        (" + @p * da[3 * n + k]", "", "two ways to the loss"),
        ("d * f + @p * da[k] + @q * da[n + k]", "d * f", "one for each place"),
    ],
    "nesterov": [
        ("rate * (d + @m * v[i])", "rate * v[i]", "plain momentum"),
        ("dx[i] + @w * x[i]", "dx[i]", "the decay is missing"),
    ],
    "warm_up": [
        ("static_cast<double>(step + 1)", "static_cast<double>(step)", "one step late"),
        ("std::min", "std::max", "it rises for k steps"),
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
    ],
    "sink": [
        ("double sum = std::exp(@z - max)", "double sum = 0", "a softmax without the sink"),
        (" + ds * query[i]", "", "w_j dcontext alone"),
        ("(dw[j] - mean)", "dw[j]", "the sink's dw is 0"),
        ("    max = std::max(max, w[j]);\n", "", "Not a finite number"),
        ("for (int64_t j = 0; j < n; ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "for (int64_t j = 0; j < std::min<int64_t>(n, 16); ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "those of your name"),
        ("for (int64_t j = 0; j < n; ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "for (int64_t j = 0; j < std::min<int64_t>(n, 128); ++j) {\n    for (int64_t i = 0; i < d; ++i) w[j] +=", "those of your name"),
    ],
    "quantile": [
        ("k < q - 1", "k < q", "the query counts"),
        ("if (a.empty() || b.empty()) return false;", "if (a.empty() || b.empty()) return *ratio = 0, true;", "it is undefined"),
        ("if (a.empty() || b.empty()) return false;", "if (a.size() < 2 || b.size() < 2) return false;", "the ratio is called undefined"),
        ("quantile(b, @v)", "quantile(b, @u)", "those of your name"),
        ("(is_distraction[k] ? a : b).push_back(scores[k]);", "{ if (is_distraction[k]) a.push_back(scores[k]); b.push_back(scores[k]); }", "the distractions in the history, too"),
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
