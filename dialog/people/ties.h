// The uncertainty of a share of ties: samples of the judged pairs (Parthasarathi, Pineau and
// Chandar 2020: 50,000 samples of 200 of 2,000 pairs).
#pragma once

#include <cstdint>
#include <vector>

namespace heed::people {

// The share of ties in samples without replacement of `size` of `pairs` pairs, `ties` of which are
// ties. With p = ties / pairs the number of ties is hypergeometric: the share has mean p and
// variance
//   p (1 - p) / size x (pairs - size) / (pairs - 1)
struct TieSamples {
  double share = 0;  // p
  double mean = 0,
         deviation = 0;            // of the samples' shares; the deviation divides by n
  double expected_deviation = 0;   // by the formula
  double low = 0, high = 0;        // 2.5 % of the samples are below, 2.5 % above
  double half_or_more = 0;         // share of the samples with at least as many ties as not
  std::vector<int64_t> histogram;  // samples with 0, 1, ..., size ties
};
// A function of the seed. Throws UsageError for inconsistent sizes.
TieSamples sample_ties(int64_t pairs, int64_t ties, int64_t size, int64_t samples, uint64_t seed);

}  // namespace heed::people
