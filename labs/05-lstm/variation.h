// The variations of lab 5 (README.md, section variation). You write yours in variation.cc.
#pragma once

#include <cstdint>

namespace heed::lab {

// One step of a cell whose parts are each alone: from preactivations a (gates, hidden) and c_prev
// (hidden) to c and h (hidden). s(x) = 1 / (1 + e^-x). p and q are your own, and so is which of the
// two cells is yours: labs/heed-lab id NAME.

// Coupled gates, a = (i, g, o):
//   i = s(p a_i)   c = (1 - i) c_prev + i tanh(a_g)   h = s(a_o) tanh(q c)
void coupled(double* h, double* c, const double* a, const double* c_prev, int64_t hidden);
// Peepholes, a = (i, f, g, o):
//   i = s(a_i + p c_prev)   f = s(a_f + q c_prev)   c = f c_prev + i tanh(a_g)
//   h = s(a_o + p c) tanh(c)
void peephole(double* h, double* c, const double* a, const double* c_prev, int64_t hidden);

// From dh and dc, which the step after gives, to da and dc_prev.
void coupled_backward(double* da, double* dc_prev, const double* a, const double* c_prev,
                      const double* dh, const double* dc, int64_t hidden);
void peephole_backward(double* da, double* dc_prev, const double* a, const double* c_prev,
                       const double* dh, const double* dc, int64_t hidden);

}  // namespace heed::lab
