// Chats whose lines say who speaks: exports of WhatsApp and Discord, copies of Discord's and
// Telegram's windows, logs of IRC, and plain "Name: text".
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/data/formats/moment.h"

namespace heed {

// How the lines of one chat are written.
struct ChatForm {
  enum Time { kNone, kBrackets, kDash, kBare, kTab, kBehind };
  enum Who {
    kColon,   // "Name: text". Where lines have times, one without belongs to the message above, and
              // one without a name is the program's ("Ann left"); without times it is an error.
              // What a phone writes instead of a picture or behind an edited text is dropped
    kAngles,  // "<name> text", "* name waves": irssi, ZNC, mIRC; all else is the program's
    kColumn,  // time, tab, name, tab, text (WeeChat)
    kHeader   // "[time] Name", "Name — time" or "Name, [time]", and the text in the lines below
  };
  Time time = kNone;
  Who who = kColon;
  bool dated = false;
  auto operator<=>(const ChatForm&) const = default;
};

struct ChatGuess {
  ChatForm form;
  size_t messages = 0;  // of that form, in the lines
  size_t timed = 0;     // lines that begin with a time
  bool sure = false;    // that the lines are a chat
};
// The form that most of these lines have, which are not blank.
ChatGuess guess_chat(const std::vector<std::string_view>& lines);

// Takes the lines of a chat and makes dialogues of them.
class ChatReader {
 public:
  explicit ChatReader(ChatForm form) : form_(form) {}

  // False for a line that is no message and belongs to none.
  bool add(std::string_view line, int64_t number);
  // A dialogue ends at a blank line that a message follows (not of kHeader), and where nothing was
  // said for more than `gap` seconds, 0: for any time. Consecutive messages of one speaker become
  // one turn. Ids are "<file>:<line>".
  std::vector<Dialogue> dialogues(const std::string& file, int64_t gap, const Reading& reading);
  // Whether many lines are messages of another form.
  bool is_mixed() const { return 10 * others_ > messages_.size() + 10; }
  size_t left_out() const { return left_out_; }  // lines that nobody said

 private:
  struct Message {
    int64_t line;
    bool first;  // of a dialogue, whatever the time says
    std::string speaker, text;
  };
  void add_below(std::string_view line);

  ChatForm form_;
  std::vector<Message> messages_;
  std::vector<Moment> moments_;        // of the messages
  std::array<int, 3> date_ = {};       // that a line of its own told
  bool blank_ = false, open_ = false;  // the line above; whether the last message may go on
  size_t left_out_ = 0, others_ = 0;   // messages of other forms
};

}  // namespace heed
