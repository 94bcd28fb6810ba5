// Generated responses from a file: JSON Lines, plain or gzip, one line each, either
//   {"id": "d7", "response": "..."}                    written by `heed respond`
//   {"id": "d7", "turns": [..., {"text": "..."}]}      a dialogue whose last turn is the response
// The id is that of a passage ("d7#3"), or of its dialogue if the response is the last turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/discriminate/replacement.h"
#include "dialog/text/vocabulary.h"

namespace heed::discriminate {

// The numbers of responses that replace none of the passages' responses, by reason.
struct UnfitResponses {
  int64_t no_passage = 0;  // none has the id
  int64_t repeated = 0;    // the same words as an earlier response (the paper leaves them out)
  int64_t unknown = 0;     // with <unk> (the same)
  int64_t length = 0;      // fewer or more tokens than a passage may have
  int64_t as_said = 0;     // the same words as the real response
};
// For each passage its response in the file. Throws DataError "file:line: ..." for an invalid line,
// for two responses to one passage and for an id that two passages have, "file: ..." if no response
// is left.
Responses read_responses(const std::string& path, const std::vector<Passage>& passages,
                         const Vocabulary& vocabulary, const PassageOptions& options,
                         UnfitResponses& unfit);

}  // namespace heed::discriminate
