// MuTual (Cui et al., ACL 2020): dialogues whose last turn is to be chosen from four options.
#pragma once

#include <string>

#include "dialog/data/formats/published.h"

namespace heed {

// A file of JSON objects, or a folder of such files (.txt), plain or gzip:
//   {"answers": "B", "options": ["m : ...", "f : ...", ...], "article": "m : ... f : ...",
//    "id": ...}
// Turns of the article begin with "m :" or "f :" (or "M:", "F:"), the speaker. The last turn is the
// right option, the other options are its candidates. Throws DataError as read_published() does,
// and if the answer is not one of the options, as in the test part, whose answers are not
// published.
Published read_mutual(const std::string& path, const Reading& reading = {});

}  // namespace heed
