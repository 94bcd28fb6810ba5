// Raw text -> tokens.
//   letters    of all scripts are lower-cased (Unicode 14, one letter for one)
//   a token    is a maximal run of letters, combining marks, digits and "_",
//              or any other character:
//              "don't" gives don ' t, "eth0: up!!" gives eth0 : up ! !
//   an emoji   is one token with its skin tone and its parts joined by U+200D; so is a flag
//   white space separates (U+0009-D, U+001C-20, U+0085, U+00A0, U+1680, U+2000-B, U+2028-9, ...)
//   dropped    are the other control characters below U+0020, U+007F, and invisible characters:
//              soft hyphens, direction marks, variation selectors
//   not UTF-8  each such byte becomes the token U+FFFD
// Special tokens such as <eou> cannot occur: their "<" and ">" are tokens of their own. Tokens
// joined by spaces give the same tokens again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

std::vector<std::string> tokenize(std::string_view text);

// The same without allocation: it keeps its buffers from one text to the next.
class Tokenizer {
 public:
  // The tokens are valid until the next call.
  const std::vector<std::string_view>& operator()(std::string_view text);

 private:
  std::string buffer_;
  std::vector<std::string_view> tokens_;
};

bool is_white_space(char32_t c);
// A letter, combining mark or digit, or "_".
bool is_word_character(char32_t c);
// The lower-case letter of an upper-case one, else c.
char32_t to_lower(char32_t c);

// Readable text: spaces between tokens, but none before . , ! ? and the like, none after an opening
// bracket, and none around ' - /.
std::string detokenize(const std::vector<std::string>& tokens);

// A sequence of one to eight tokens that occurs more than three times in a row is kept three times,
// followed by the token "[...]".
std::vector<std::string> shorten_repetitions(const std::vector<std::string>& tokens);

}  // namespace heed
