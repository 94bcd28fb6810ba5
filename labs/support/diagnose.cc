#include "labs/support/diagnose.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>

namespace heed::lab {
namespace {

std::string number(double value, int digits = 4) {
  char made[32];
  std::snprintf(made, sizeof made, "%.*g", digits, value == 0 ? 0 : value);
  return std::isnan(value) ? "nan" : made;
}

// Both as rows of numbers, the leading axes of the tensors in one.
struct Numbers {
  const std::vector<double> got, want;
  const int64_t rows, cols;
  const Expected& expected;

  Numbers(const Tensor& got, const Tensor& want, const Expected& expected)
      : got(got.to_vector()),
        want(want.to_vector()),
        rows(want.shape().rank() < 2 ? 1 : want.shape().product(0, want.shape().rank() - 1)),
        cols(want.shape().rank() == 0 ? 1 : want.shape().back()),
        expected(expected) {}

  int64_t size() const { return std::ssize(want); }
  bool within(double times, double a, double b) const {
    const Tolerance& t = expected.tolerance;
    return a == b || (std::isfinite(b) &&
                      std::fabs(a - b) <= times * (t.absolute + t.relative * std::fabs(b)));
  }
  bool two() const { return expected.want != Expected().want; }  // both are the student's
  bool close(double a, double b) const { return within(1, a, b); }
  // For symptoms: a multiple of a tolerance that is small, as a factor is only estimated.
  bool near(double a, double b) const {
    const double times = std::clamp(1e-3 / expected.tolerance.relative, 1.0, 20.0);
    return within(times, a, b) || std::fabs(a - b) <= 1e-12;
  }
  bool right(int64_t i) const { return close(got[i], want[i]); }
  int64_t wrong() const {
    int64_t count = 0;
    for (int64_t i = 0; i < size(); ++i) count += !right(i);
    return count;
  }
  // Whether these are yours in a range: near them all, and far nearer than to what is expected.
  template <class F> bool are(int64_t begin, int64_t end, const F& value) const {
    double to_value = 0, to_want = 0;
    bool all_right = true;
    for (int64_t i = begin; i < end; ++i) {
      if (!near(got[i], value(i))) return false;
      all_right &= right(i);
      to_value += got[i] == value(i) ? 0 : std::fabs(got[i] - value(i));
      to_want += std::fabs(got[i] - want[i]);
    }
    return all_right || !(to_value > to_want / 4);
  }
  // Whether they are more than one number: of equal ones any is some multiple of any other.
  bool differ(int64_t begin, int64_t end) const {
    return std::any_of(want.begin() + begin, want.begin() + end,
                       [&](double value) { return value != want[begin]; });
  }
  std::string place(int64_t i) const {
    return rows == 1 ? "element " + std::to_string(i) : text("(", i / cols, ", ", i % cols, ")");
  }
  // The first i of a range that fits, else its end.
  template <class F> static int64_t first(int64_t begin, int64_t end, const F& fits) {
    while (begin < end && !fits(begin)) ++begin;
    return begin;
  }
  int64_t first_wrong() const {
    return first(0, size(), [&](int64_t i) { return !right(i); });
  }
};

template <class F> bool all(int64_t begin, int64_t end, const F& fits) {
  return Numbers::first(begin, end, [&](int64_t i) { return !fits(i); }) == end;
}

// ---- symptoms: a sentence, or nothing

std::string never_written(const Numbers& n) {
  const auto count = [&](auto is, const char* what, const char* why) -> std::string {
    const int64_t found = std::count_if(n.got.begin(), n.got.end(), is);
    const int64_t first = n.first(0, n.size(), [&](int64_t i) { return is(n.got[i]); });
    // Of very many that are wrong one has this value by chance.
    return found && 100 * found >= n.wrong()
               ? text(found, " of ", n.size(), what, n.place(first), why)
               : "";
  };
  const std::string left = count([](double x) { return x == kUnwritten; },
                                 " elements were never written, the first is ", ".");
  const std::string made =
      count(is_fresh,
            " elements are, or were made of, memory that nobody had "
            "written (here it holds NaN), the first is ",
            ": left out, added to before it was assigned, or read past an end?");
  const bool zero = all(0, n.size(), [&](int64_t i) { return n.got[i] == 0; });
  return !left.empty() ? left : zero ? "All zeros: nothing arrived here, or nothing but 0." : made;
}

std::string not_finite(const Numbers& n) {
  const int64_t i = n.first(0, n.size(), [&](int64_t at) {
    return !std::isfinite(n.got[at]) && std::isfinite(n.want[at]);
  });
  if (i == n.size()) return "";
  const std::string& known = n.expected.not_finite;
  return "Not a finite number, first at " + n.place(i) + ": " + number(n.got[i]) + ". " +
         (!known.empty()         ? known
          : std::isnan(n.got[i]) ? "0/0, inf - inf or inf/inf gives NaN. "
                                 : std::string("Something grew too large, was divided by zero") +
                                       (n.got[i] < 0 ? ", or is ln 0. " : ". ")) +
         (known.empty() ? n.expected.law : "");
}

std::string suspect(const Numbers& n) {
  std::string found;
  for (const auto& [name, tensor] : n.expected.suspects) {
    const std::vector<double> values = tensor.to_vector();
    if (values.size() == n.got.size() && found.find(name) == found.npos &&
        n.are(0, n.size(), [&](int64_t i) { return values[i]; }))
      found += (found.empty() ? "Yours is " : "; or, which gives the same here: ") + name;
  }
  return found.empty() ? "" : found + ".";
}

std::string name_of_factor(double factor, const Numbers& n) {
  const double rows = static_cast<double>(n.rows), cols = static_cast<double>(n.cols);
  const std::string of = n.rows > 1 ? "columns" : "elements";
  const std::vector<std::pair<double, std::string>> known = {
      {-1, "the sign is wrong"},
      {2, "twice too large"},
      {0.5, "half of it is missing"},
      {rows, "the number of rows: a sum for a mean?"},
      {1 / rows, "1 / rows: a mean for a sum?"},
      {cols, "the number of " + of + ": a sum for a mean?"},
      {1 / cols, "1 / " + of + ": a mean for a sum?"}};
  std::string found;
  for (const auto& [value, name] : known) {
    if (value == 1 || std::fabs(factor - value) > 1e-5 * std::fabs(value)) continue;
    found += (found.empty() ? " (" : "; or ") + name;
  }
  return found.empty() ? "" : found + ")";
}

// The c with got = c want in [begin, end), NaN if there is none.
double factor_of(const Numbers& n, int64_t begin, int64_t end) {
  double product = 0, square = 0;
  for (int64_t i = begin; i < end; ++i) {
    product += n.got[i] * n.want[i];
    square += n.want[i] * n.want[i];
  }
  const double c = product / square;
  return n.are(begin, end, [&](int64_t i) { return c * n.want[i]; }) ? c : NAN;
}

std::string precise(double factor) {
  return number(factor, std::fabs(factor - 1) < 1e-2 ? 10 : 4);
}

std::string constant_offset(const Numbers& n) {
  const double offset = n.got[0] - n.want[0];
  const auto there = [&](int64_t i) { return n.want[i] + offset; };
  if (n.size() < 2 || !n.are(0, n.size(), there)) return "";
  if (std::fabs(offset - kUnwritten) < 1e-2)  // of f32, too
    return "It was added to what was there: here it is to be assigned.";
  return "Everything is off by the same number, " + number(offset) + ".";
}

// Small differences of large numbers. What they come from is not known: a small number that is left
// out gives the same.
std::string rounding(const Numbers& n) {
  double largest = 0, off = 0;
  for (int64_t i = 0; i < n.size(); ++i) {
    largest = std::max(largest, std::fabs(n.want[i]));
    off = std::max(off, std::fabs(n.got[i] - n.want[i]));
  }
  // Where the same bits are due nothing is rounding.
  if (!std::isfinite(largest) || n.expected.tolerance.relative == 0 || !(off <= 1e-6 * largest))
    return "";
  const std::string offset = n.size() > 3 ? constant_offset(n) : "";
  if (!offset.empty()) return offset + " " + n.expected.law;
  const double factor = factor_of(n, 0, n.size());
  return "Nearly right: nothing is off by more than " + number(off) +
         (n.size() > 1 ? ", where the largest is " + number(largest) : "") +
         (n.differ(0, n.size()) && std::fabs(factor - 1) > 1e-9
              ? "; everything is " + precise(factor) + " times what it should be"
              : "") +
         ". Either digits are lost (something is of f32, or what is small is added to what is "
         "large: in which order, in which brackets?), or something small is added or left out. " +
         n.expected.law;
}

std::string constant_factor(const Numbers& n) {
  const double factor = factor_of(n, 0, n.size());
  const std::string name = name_of_factor(factor, n);
  // Equal numbers are some multiple of any others: only a factor with a name tells something.
  if (std::isnan(factor) || (!n.differ(0, n.size()) && name.empty())) return "";
  if (n.size() > 1 && std::fabs(factor) < 1e-9)
    return (std::fabs(factor) < 1e-30 ? "All are nearly zero. "
                                      : "All zeros but for rounding: what was added up there has "
                                        "cancelled. ") +
           n.expected.law;
  return (n.size() > 1 ? "Everything is " : "It is ") + precise(factor) +
         " times what it should be" + name + "." +
         ((n.size() > 1 && !name.empty()) || n.expected.law.empty() ? "" : " " + n.expected.law);
}

std::string all_the_same(const Numbers& n) {
  const auto same = [&](int64_t i) { return n.got[i] == n.got[0]; };
  return n.differ(0, n.size()) && all(0, n.size(), same)
             ? text("All elements are the same, ", number(n.got[0]),
                    ": it does not depend on the place. ", n.expected.law)
             : "";
}

std::string transposed(const Numbers& n) {
  const auto fits = [&](int64_t i) {
    return n.close(n.got[i % n.cols * n.rows + i / n.cols], n.want[i]);
  };
  return n.rows > 1 && n.cols > 1 && all(0, n.size(), fits)
             ? "Transposed: rows and columns have changed places."
             : "";
}

std::string shifted(const Numbers& n) {
  if (!n.differ(0, n.size())) return "";
  for (const auto& [unit, name] :
       {std::pair<int64_t, const char*>{1, "element"}, {n.cols, "row"}}) {
    for (const int64_t by : {1, -1, 2, -2}) {
      const int64_t step = by * unit, count = n.size() - std::abs(step);
      const auto fits = [&](int64_t i) {
        const int64_t here = step > 0 ? i : i - step;
        return n.close(n.got[here], n.want[here + step]);
      };
      if (count < std::max<int64_t>(3, n.size() / 2) || !all(0, count, fits)) continue;
      return text("Shifted by ", std::abs(by), " ", name, std::abs(by) > 1 ? "s" : "",
                  ": yours holds what ", by > 0 ? "comes later." : "came before.");
    }
  }
  return "";
}

std::string blocks(const Numbers& n) {
  const auto& names = n.expected.blocks;
  const int64_t count = std::ssize(names), width = count ? n.cols / count : 0;
  if (count < 2 || n.cols % count != 0) return "";
  std::string moved, wrong;
  bool some_right = false;
  for (int64_t ab = 0; ab < count * count; ++ab) {
    const int64_t a = ab / count, b = ab % count;
    const bool same = all(0, n.rows * width, [&](int64_t i) {  // got of block a is want of block b
      const int64_t at = i / width * n.cols + i % width;
      return n.close(n.got[at + a * width], n.want[at + b * width]);
    });
    some_right |= a == b && same;
    if (a == b && !same) wrong += (wrong.empty() ? "" : ", ") + names[a];
    if (a != b && same) moved += " where " + names[a] + " belongs there is " + names[b] + ";";
  }
  if (!moved.empty()) return "Parts are permuted:" + moved.substr(0, moved.size() - 1) + ".";
  return some_right ? "Wrong only in " + wrong + ": the other parts are right. " + n.expected.law
                    : "";
}

std::string factor_of_each_row(const Numbers& n) {
  if (n.rows < 2 || n.cols < 2) return "";
  std::string found;
  for (int64_t r = 0, told = 0; r < n.rows; ++r) {
    const double factor = factor_of(n, r * n.cols, (r + 1) * n.cols);
    if (std::isnan(factor)) return "";
    if (std::fabs(factor - 1) < 5e-4) continue;
    if (!n.differ(r * n.cols, (r + 1) * n.cols)) return "";
    if (++told > 2) continue;
    found += (told > 1 ? ", " : "") +
             (std::fabs(factor) < 1e-9 ? "0 (all zeros)" : number(factor)) + " in row " +
             std::to_string(r);
  }
  return found.empty() ? "" : "Each row is right but for a factor of its own: " + found + ".";
}

std::string tail_only(const Numbers& n) {
  const int64_t first = n.first_wrong();
  if (first < 2 || !all(first, n.size(), [&](int64_t i) { return !n.right(i); })) return "";
  if (n.rows > 1 && first % n.cols == 0)
    return (first == n.cols ? "The first row is right, and no element of the others. "
                            : text("Rows 0 to ", first / n.cols - 1,
                                   " are right, and no element from row ", first / n.cols, " on",
                                   first + n.cols == n.size()
                                       ? ": where does a loop end, and what is read there? "
                                       : ". ")) +
           n.expected.law;
  if (first < n.size() - n.size() / 4) return "";
  return "Right up to " + n.place(first - 1) + ", wrong from " + n.place(first) +
         " on: the tail is treated differently. " + n.expected.law;
}

std::string repeated_only(const Numbers& n) {
  std::map<int32_t, int> count;
  for (const int32_t id : n.expected.ids) ++count[id];
  const auto fits = [&](int64_t i) {
    return n.right(i) || count[static_cast<int32_t>(i / n.cols)] > 1;
  };
  return !count.empty() && all(0, n.size(), fits)
             ? "Wrong only in rows whose index occurs more than once: was a row assigned where it "
               "has to be added?"
             : "";
}

std::string what_the_numbers_say(const Numbers& n) {
  for (const auto symptom : {never_written, not_finite, suspect, rounding, constant_factor,
                             all_the_same, constant_offset, transposed, shifted, blocks,
                             factor_of_each_row, tail_only, repeated_only}) {
    const std::string says = symptom(n);
    if (!says.empty()) return says;
    if (n.two() && symptom == suspect) break;  // neither is right: how they differ says nothing
  }
  return n.expected.law.empty() ? "no simple pattern." : n.expected.law;
}

// ---- the picture

std::string corner(const Numbers& n, const std::vector<double>& values) {
  std::string lines;
  for (int64_t r = 0; r < std::min<int64_t>(n.rows, 4); ++r) {
    lines += "   ";
    for (int64_t c = 0; c < std::min<int64_t>(n.cols, 6); ++c) {
      const double value = values[r * n.cols + c];
      char cell[32];
      std::snprintf(cell, sizeof cell, " %10s", number(value).c_str());
      lines += value == kUnwritten || is_fresh(value) ? "  unwritten" : cell;
    }
    lines += n.cols > 6 ? " ...\n" : "\n";
  }
  return lines + (n.rows > 4 ? "    ...\n" : "");
}

// The part of it that has the first wrong element.
std::string map_of(const Numbers& n) {
  constexpr int64_t kRows = 12, kCols = 64;
  const int64_t first = n.first_wrong() % n.size();
  const int64_t row = first / n.cols / kRows * kRows, col = first % n.cols / kCols * kCols;
  std::string lines =
      row + col == 0 ? "\n" : "; this is from " + n.place(row * n.cols + col) + " on\n";
  for (int64_t r = row; r < std::min(n.rows, row + kRows); ++r) {
    lines += "    ";
    for (int64_t c = col; c < std::min(n.cols, col + kCols); ++c) {
      lines += n.right(r * n.cols + c) ? '.' : 'x';
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace

bool is_fresh(double value) {
  return std::isnan(value) && (~std::bit_cast<uint64_t>(value) >> 29 & 0x7fffff) == 0;
}

Window window(const Tensor& got, const Tensor& want, const Expected& expected) {
  const Numbers n(got, want, expected);
  Window w{n.rows, n.cols, std::min(n.rows, Window::kMost), std::min(n.cols, Window::kMost)};
  for (int64_t i = n.size() - 1; i >= 0; --i) {
    if (n.right(i)) continue;
    ++w.wrong;
    w.first_row = std::clamp<int64_t>(i / n.cols - w.kMost / 2, 0, n.rows - w.rows);
    w.first_col = std::clamp<int64_t>(i % n.cols - w.kMost / 2, 0, n.cols - w.cols);
  }
  for (int64_t at = 0; at < w.rows * w.cols; ++at) {
    const int64_t i = (w.first_row + at / w.cols) * n.cols + w.first_col + at % w.cols;
    w.want.push_back(number(n.want[i]));
    w.got.push_back(number(n.got[i]));
    w.is_wrong.push_back(!n.right(i));
  }
  return w;
}

std::string diagnose(const std::string& what, const Tensor& got, const Tensor& want,
                     const Expected& expected) {
  if (!got.defined()) return what + " has no value.\nWhat it means: nothing arrived here.";
  const std::string problem = mismatch(got, want, expected.tolerance);
  if (problem.empty()) return "";
  std::string lines = what + " " + want.shape().str() + ": " + problem + "\n";
  if (got.dtype() != want.dtype()) return lines + "What it means: another element type.";
  if (got.shape() != want.shape())
    return lines + "What it means: " +
           (got.numel() == want.numel()
                ? "as many elements as there should be, in another shape."
                : text("another shape: ", got.numel(), " elements where there should be ",
                       want.numel(), "."));
  const Numbers n(got, want, expected);
  return lines + "  " + expected.want + "\n" + corner(n, n.want) + "  " + expected.got + "\n" +
         corner(n, n.got) + (n.two() ? "  . the same, x another" : "  . right, x wrong") +
         map_of(n) + "What it means: " + what_the_numbers_say(n);
}

}  // namespace heed::lab
