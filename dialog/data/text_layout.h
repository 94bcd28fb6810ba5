// What a text file looks like.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialog/data/chat_log.h"
#include "dialog/data/plain_text.h"

namespace heed {

// Of LineReader::ahead() the first 300 lines that are not blank, without one that may be cut.
std::vector<std::string_view> first_lines(std::string_view beginning);

struct LayoutGuess {
  TextLayout layout = TextLayout::kLines;
  std::string doubt;  // "looks like ...", where it may be something else; or empty
};
LayoutGuess guess_layout(const std::vector<std::string_view>& lines, const ChatGuess& chat);

}  // namespace heed
