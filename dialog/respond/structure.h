#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tensor/error.h"

namespace heed {

// The five model structures are three choices (Xing & Gulla 2022, section 3.1):
//                memory                attention query      integration LSTM
//   non-hier     m token states        decoder state h_t    no
//   static       q utterance states    last utterance H_q   no
//   static-ui    q utterance states    H_q                  yes
//   dynamic      q utterance states    h_t                  no
//   dynamic-ui   q utterance states    h_t                  yes
struct Structure {
  std::string_view name = "static-ui";
  bool hierarchical = true;  // memory of utterances, not of tokens
  bool static_query = true;  // one context vector for all decoding steps
  bool integration = true;   // an LSTM over H_1..H_q starts the decoder ("utterance integration")

  // Throws UsageError, with the valid names, if there is no such structure.
  static Structure parse(std::string_view name);
};

constexpr std::array<Structure, 5> kStructures = {{{"non-hier", false, false, false},
                                                   {"static", true, true, false},
                                                   {"static-ui", true, true, true},
                                                   {"dynamic", true, false, false},
                                                   {"dynamic-ui", true, false, true}}};

inline Structure Structure::parse(std::string_view name) {
  std::string names;
  for (const Structure& s : kStructures) {
    if (s.name == name) return s;
    names += (names.empty() ? "" : ", ") + std::string(s.name);
  }
  throw UsageError("structure: expected one of " + names + ", got '" + std::string(name) + "'");
}

}  // namespace heed
