// Conversations with assistants, in the form of OpenAI's interfaces and of many data sets.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// Reads {"messages": [{"role": "user", "content": "..."}, ...]}, one object per line or an array of
// them, or one conversation that is the array of messages itself; also ShareGPT's form,
// {"conversations": [{"from": "human", "value": "..."}, ...]}. The roles are the speakers;
// consecutive messages of one role become one turn. A content may be a list of parts; those with a
// "text" are read. left_out counts messages of the roles system, developer, tool and function, and
// those without text. The id is "id", a text or a number, or "<file name>:<number of the
// conversation>".
Published read_messages(const std::string& path, const Reading& reading = {});

}  // namespace heed
