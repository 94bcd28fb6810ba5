#include "tensor/compare.h"

#include <cmath>
#include <sstream>
#include <vector>

namespace heed {
namespace {

// By how much two numbers differ; NaN where one of them is none.
double distance(double got, double want, bool nan_equal) {
  if (got == want || (nan_equal && std::isnan(got) && std::isnan(want))) return 0;
  return std::abs(got - want);
}

// -0 reads as 0, and a NaN has no sign.
double plain(double x) {
  return x == 0 ? 0 : std::isnan(x) ? std::abs(x) : x;
}

std::string place_of(int64_t element, const Shape& shape) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = std::to_string(element % shape[axis]) + (text.empty() ? "" : ", ") + text;
    element /= shape[axis];
  }
  return "(" + text + ")";
}

}  // namespace

std::string mismatch(const Tensor& got, const Tensor& want, const Tolerance& tolerance) {
  if (!got.defined() || !want.defined()) {
    if (got.defined() == want.defined()) return "";
    return std::string(got.defined() ? "a value" : "undefined") + " where " +
           (want.defined() ? "a value" : "nothing") + " is expected";
  }
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape())) {
    return text(name_of(got.dtype()), " ", got.shape(), " and not ", name_of(want.dtype()), " ",
                want.shape());
  }
  const std::vector<double> a = got.to_vector(), b = want.to_vector();
  int64_t count = 0, worst = 0;
  double most = -1;
  for (size_t i = 0; i < a.size(); ++i) {
    const double off = distance(a[i], b[i], tolerance.nan_equal);
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(b[i]);
    if (off == 0 || (std::isfinite(b[i]) && off <= allowed)) continue;
    ++count;
    if (std::isnan(most) || !(std::isnan(off) || off > most)) continue;
    worst = static_cast<int64_t>(i);
    most = off;
  }
  if (count == 0) return "";
  std::ostringstream line;
  line.precision(9);
  line << count << " of " << a.size() << (a.size() == 1 ? " element" : " elements")
       << (count == 1 ? " differs" : " differ") << ", most at " << place_of(worst, got.shape())
       << ": " << plain(a[worst]) << " and not " << plain(b[worst]) << " (off by " << plain(most)
       << ")";
  return line.str();
}

bool allclose(const Tensor& got, const Tensor& want, const Tolerance& tolerance) {
  return mismatch(got, want, tolerance).empty();
}

}  // namespace heed
