#pragma once

namespace heed::cpu {

// The instruction set that the kernels in use were compiled for: "x86-64-v4", "native", ...
const char* isa();

}  // namespace heed::cpu
