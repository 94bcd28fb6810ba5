// Conversations with assistants, as OpenAI's interfaces and many data sets have them.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads {"messages": [{"role": "user", "content": "..."}, ...]}, an object a line or in an array,
// or one conversation that is the array of messages itself; also ShareGPT's form of it,
// {"conversations": [{"from": "human", "value": "..."}, ...]}. Speakers are the roles; consecutive
// messages of one become one turn. A content may be a list of parts, of which those with a "text"
// are read. left_out counts messages of the roles system, developer, tool and function, and those
// without text. The id is "id", or "<file name>:<number of the conversation>".
Published read_messages(const std::string& path, const Reading& reading = {});

}  // namespace heed
