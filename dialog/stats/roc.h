// The area under the ROC curve.
#pragma once

#include <vector>

namespace heed {

// The area under the ROC curve up to the false-positive rate p, divided by p, for each p in (0, 1].
// The curve has straight segments, one per distinct score: a random scorer has p / 2.
// (scikit-learn's max_fpr rescales so that it has 1/2.) Neither class may be empty. Throws
// UsageError for a score that is NaN.
std::vector<double> areas(std::vector<double> positive, std::vector<double> negative,
                          const std::vector<double>& p = {1});

}  // namespace heed
