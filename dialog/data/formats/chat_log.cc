#include "dialog/data/formats/chat_log.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/utf8.h"

namespace heed {
namespace {

using namespace std::string_view_literals;

constexpr size_t kLongestName = 80;
constexpr auto kLeftToRight = "\u200E"sv;  // WhatsApp begins with it what nobody wrote

// Without blanks, those that are not ASCII, and marks of direction at both ends.
std::string_view bare(std::string_view text) {
  for (bool more = true; more;) {
    text = trimmed(text);
    more = false;
    for (const char32_t c :
         {0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x2068, 0x2069, 0x00A0, 0x202F}) {
      char bytes[4];
      const std::string_view sign(bytes, write_utf8(bytes, c));
      if (text.starts_with(sign)) more = true, text.remove_prefix(sign.size());
      if (text.ends_with(sign)) more = true, text.remove_suffix(sign.size());
    }
  }
  return text;
}

struct Said {
  ChatForm form;
  Moment moment;
  std::string_view speaker, text;  // of a line that is only begun: all of it behind the time
};

// "[12:34] text", "12:34 - text", "12:34 text", "12:34<tab>text"; or no time.
Said read_time(std::string_view line) {
  while (line.starts_with(kLeftToRight) || line.starts_with("\u200F")) line.remove_prefix(3);
  Said said;
  said.text = line;
  const auto take = [&](ChatForm::Time form, std::string_view time, MomentWords words, size_t end) {
    const auto moment = read_moment(time, words);
    if (moment) said = {{.time = form, .dated = moment->dated()}, *moment, "", line.substr(end)};
    return moment.has_value();
  };
  if (line.starts_with('[') || line.starts_with('(')) {
    const size_t end = line.find(line[0] == '[' ? ']' : ')');
    if (end != line.npos)
      take(ChatForm::kBrackets, line.substr(1, end - 1), MomentWords::kAny, end + 1);
    return said;
  }
  constexpr size_t most = 60;
  for (size_t at = 0; (at = line.find_first_of(" \t", at)) <= most; ++at) {
    const std::string_view time = line.substr(0, at);
    const auto form = time.ends_with(" -") || time.ends_with(" –") ? ChatForm::kDash
                      : line[at] == '\t'                           ? ChatForm::kTab
                                                                   : ChatForm::kBare;
    if (take(form, time, MomentWords::kOfTimes, at + 1) && form != ChatForm::kBare) break;
  }
  return said;
}

// A name on IRC without the signs of its rights.
std::string_view nick(std::string_view name) {
  name = trimmed(name);
  name.remove_prefix(std::min(name.find_first_not_of("@+%&~!"), name.size()));
  return name;
}

// "name waves"; not what the program says: "name (host) has joined".
bool read_action(std::string_view text, Said& said) {
  text = trimmed(text);
  const size_t blank = std::min(text.find_first_of(" \t"), text.size());
  said.speaker = nick(text.substr(0, blank));
  said.text = trimmed(text.substr(blank));
  const auto events = {"("sv, "["sv, "has "sv, "is now known as "sv, "was kicked"sv, "sets mode"sv};
  return std::none_of(events.begin(), events.end(),
                      [&](std::string_view event) { return said.text.starts_with(event); });
}

// "***", "-->"
bool is_of_program(std::string_view name) {
  return name.find_first_not_of("*-<>=!") >= std::min<size_t>(2, name.size());
}

// Whether it can stand in front of a colon: without a time beside it with few words, no link.
bool is_name(std::string_view name, bool timed) {
  if (name.empty() || name.size() > kLongestName || is_of_program(name)) return false;
  if (name.find('"') != name.npos || name.find("“") != name.npos) return false;
  const bool is_number = name.find_first_not_of("0123456789.:,- ") == name.npos;
  return timed || (!is_number && std::count(name.begin(), name.end(), ' ') < 4 &&
                   name.find_first_of("?!;/\\{}[]=<>|") == name.npos);
}

bool read_colon(Said& said) {
  const std::string_view text = bare(said.text);
  size_t colon = text.find(": ");
  if (colon == text.npos && text.ends_with(':')) colon = text.size() - 1;
  if (colon == text.npos && said.form.time == ChatForm::kBrackets) colon = text.find(':');
  if (colon == text.npos || text.substr(colon).starts_with("://")) return false;
  said.speaker = bare(text.substr(0, colon));
  said.text = text.substr(colon + 1);
  while (said.speaker.starts_with('~')) said.speaker = bare(said.speaker.substr(1));
  return is_name(said.speaker, said.form.time != ChatForm::kNone);
}

// "Name — time", "Name, [time]", "[time] Name"
bool read_header(Said& said) {
  const std::string_view line = trimmed(said.text);
  said.form.who = ChatForm::kHeader;
  said.text = "";
  if (said.form.time == ChatForm::kBrackets) {
    said.speaker = bare(line.substr(0, line.size() - (line.ends_with(" (pinned)") ? 9 : 0)));
    return is_name(said.speaker, true);
  }
  const size_t dash = line.rfind(" — "), at = std::min(dash, line.rfind(", ["));
  if (said.form.time != ChatForm::kNone || at == line.npos || at > kLongestName) return false;
  std::string_view time = line.substr(at + (at == dash ? " — "sv : ", ["sv).size());
  if (at != dash) time = time.substr(0, time.find(']'));
  const auto moment = read_moment(time, MomentWords::kAny);
  if (moment)
    said = {{ChatForm::kBehind, ChatForm::kHeader}, *moment, bare(line.substr(0, at)), ""};
  return moment && is_name(said.speaker, true);
}

// What a line says that is a message of some form; false if it is none.
bool read_message(std::string_view line, Said& said) {
  said = read_time(line);
  const std::string_view text = trimmed(said.text);
  if (said.form.time == ChatForm::kTab) {
    const size_t tab = said.text.find('\t');
    said.form.who = ChatForm::kColumn;
    if (tab == said.text.npos || said.text.find('\t', tab + 1) != said.text.npos) return false;
    said.speaker = nick(said.text.substr(0, tab));
    said.text = trimmed(said.text.substr(tab + 1));
    return said.speaker == "*" ? read_action(said.text, said) : !is_of_program(said.speaker);
  }
  if (text.starts_with('<')) {
    const size_t end = text.find('>');
    said.form.who = ChatForm::kAngles;
    if (end > kLongestName) return false;  // or there is none
    said.speaker = nick(text.substr(1, end - 1));
    said.text = trimmed(text.substr(end + 1));
    return !said.speaker.empty();
  }
  if (text.starts_with("* ") || text.starts_with("*\t")) {
    said.form.who = ChatForm::kAngles;
    return said.form.time != ChatForm::kNone && read_action(text.substr(2), said);
  }
  Said header = said;
  const bool is_header = read_header(header);
  if ((is_header && header.form.time == ChatForm::kBehind) || !read_colon(said)) {
    said = header;
    return is_header;
  }
  return true;
}

// What a phone writes itself is dropped: "<Media omitted>", a text that begins with a mark of
// direction ("image omitted", "IMG-1.jpg (file attached)"), "<This message was edited>" at the end.
std::string_view without_remarks(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with(kLeftToRight)) return "";
  const size_t open = text.ends_with('>') ? text.rfind('<') : text.npos;
  if (open == text.npos) return bare(text);
  const std::string_view before = text.substr(0, open);
  const bool several_words = before.ends_with(' ') && text.find(' ', open) != text.npos;
  return bare(before.empty() || before.ends_with(kLeftToRight) || several_words ? before : text);
}

}  // namespace

ChatGuess guess_chat(const std::vector<std::string_view>& lines) {
  std::map<ChatForm, std::multiset<std::string_view>> found;
  ChatGuess best;
  for (const std::string_view line : lines) {
    Said said;
    if (read_message(line, said)) found[said.form].insert(said.speaker);
    best.timed += read_time(line).form.time != ChatForm::kNone;
  }
  for (const auto& [form, speakers] : found) {
    const size_t n = lines.size(), k = speakers.size();
    const size_t different = std::set<std::string_view>(speakers.begin(), speakers.end()).size();
    const bool timed = form.time != ChatForm::kNone, header = form.who == ChatForm::kHeader;
    const bool irc = form.who == ChatForm::kAngles || form.who == ChatForm::kColumn;
    const size_t tenths = timed ? (header ? 1 : 2) : irc ? 5 : 9;
    bool sure = 10 * k >= tenths * n && (!header || 2 * k <= n + 1);
    if (irc) sure |= 2 * best.timed >= n;  // a channel where people come and go and say little
    if (!timed || header) sure &= n > 1 && (k < 10 || 2 * different <= k);
    if (std::pair(sure, k) > std::pair(best.sure, best.messages)) {
      best = {form, k, best.timed, sure};
    }
  }
  return best;
}

// A line that is no message.
void ChatReader::add_below(std::string_view line) {
  const Said said = read_time(line);
  std::string_view text = without_remarks(line);
  if (form_.who == ChatForm::kHeader) {  // Discord's attachments, embeds and reactions
    open_ &= !(text.starts_with('{') && text.ends_with('}')) && !text.starts_with("=====");
    if (form_.time == ChatForm::kBehind) text = bare(said.text);  // "[12:35]text"
  } else {
    const ChatForm like{said.form.time, ChatForm::kColon, said.form.dated};
    open_ &= form_.who == ChatForm::kColon && form_ != like;
    if (line.starts_with("--- Log opened ") || line.starts_with("--- Day changed ")) {
      const std::string date(line.substr(15));  // irssi
      auto moment = read_moment(date, MomentWords::kAny);
      if (!moment) moment = read_moment(date + " 0:00", MomentWords::kAny);
      if (moment) date_ = moment->date;
    }
  }
  left_out_ += !open_;
  if (!open_ || text.empty()) return;
  std::string& message = messages_.back().text;
  message.append(message.empty() ? "" : " ").append(text);
}

bool ChatReader::add(std::string_view line, int64_t number) {
  const bool blank = is_blank(line);
  Said said;
  const bool message = !blank && read_message(line, said);
  if (message && said.form == form_) {
    const bool phone = form_.who == ChatForm::kColon && form_.time != ChatForm::kNone;
    const std::string_view text = phone ? without_remarks(said.text) : trimmed(said.text);
    messages_.push_back({number, blank_ && form_.who != ChatForm::kHeader,
                         std::string(said.speaker), std::string(text)});
    if (!said.moment.dated()) said.moment.date = date_;
    moments_.push_back(said.moment);
    open_ = true;
  } else if (!blank) {
    if (form_ == ChatForm{}) return false;
    others_ += message && said.form.time != ChatForm::kNone && said.form.time != form_.time;
    add_below(line);
  }
  blank_ = blank;
  return true;
}

void ChatReader::add_dialogues(std::vector<Dialogue>& to, const std::string& file, int64_t gap,
                               const Reading& reading) {
  const std::vector<int64_t> seconds = seconds_of(moments_);
  bool first = true;
  int64_t last = 0;  // when something was said
  for (size_t i = 0; i < messages_.size(); ++i) {
    const Message& message = messages_[i];
    first |= message.first;
    if (message.text.empty()) {
      ++left_out_;
      continue;
    }
    if (first || (gap > 0 && std::abs(seconds[i] - last) > gap)) {
      if (reading.enough(to.size())) break;
      to.push_back({file + ":" + std::to_string(message.line), {}});
    }
    first = false;
    last = seconds[i];
    add_message(to.back(), message.speaker, message.text);
  }
}

}  // namespace heed
