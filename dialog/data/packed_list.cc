#include "dialog/data/packed_list.h"

#include <array>

namespace heed {
namespace {

template <class T> std::string_view bytes_of(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}

uint64_t end_of(std::string_view ends, size_t i) {
  uint64_t end = 0;
  std::memcpy(&end, ends.data() + i * sizeof end, sizeof end);
  return end;
}

}  // namespace

std::string_view PackedBytes::ends() const {
  return shared_ ? shared_ends_.view() : bytes_of(own_ends_);
}

std::string_view PackedBytes::rows() const {
  return shared_ ? shared_rows_.view() : bytes_of(own_rows_);
}

std::string_view PackedBytes::operator[](size_t i) const {
  check_internal(i < size(), "a packed list has fewer elements");
  const uint64_t begin = i == 0 ? 0 : end_of(ends(), i - 1);
  return rows().substr(begin, end_of(ends(), i) - begin);
}

void PackedBytes::push_back(std::string_view row) {
  check_internal(!shared_, "memory of others does not grow");
  own_rows_.insert(own_rows_.end(), row.begin(), row.end());
  own_ends_.push_back(own_rows_.size());
}

void put_words(BytesOut& out, const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all.append(word) += '\n';
  out.put_text(all);
}

std::vector<std::string> get_words(BytesIn& in) {
  const std::string all = in.get_text();
  std::vector<std::string> words;
  for (size_t begin = 0; begin < all.size(); begin += words.back().size() + 1) {
    words.push_back(all.substr(begin, all.find('\n', begin) - begin));
  }
  return words;
}

void put(BytesOut& out, const Example& e) {
  out.put_text(e.id);
  out.put_text(e.dialogue_id);
  out.put(e.context.size());
  for (const std::vector<int32_t>& utterance : e.context) out.put_list(utterance);
  out.put_list(e.distraction);
  out.put_list(e.response);
  out.put(std::array<int, 3>{e.cut.turns, e.cut.distractions, e.cut.utterances});
  out.put(std::array<bool, 2>{e.cut.context, e.cut.response});
  out.put(e.response_is_distraction);
  out.put(e.characters);
  put_words(out, e.unknown);
  out.put(static_cast<uint8_t>(e.conditions.size()));
  for (const std::vector<int32_t>& condition : e.conditions) out.put_list(condition);
}

void get(BytesIn& in, Example& e) {
  e.id = in.get_text();
  e.dialogue_id = in.get_text();
  e.context.resize(in.get<size_t>());
  for (std::vector<int32_t>& utterance : e.context) utterance = in.get_list<int32_t>();
  e.distraction = in.get_list<char>();
  e.response = in.get_list<int32_t>();
  const auto numbers = in.get<std::array<int, 3>>();
  const auto flags = in.get<std::array<bool, 2>>();
  e.cut = {numbers[0], numbers[1], numbers[2], flags[0], flags[1]};
  e.response_is_distraction = in.get<bool>();
  e.characters = in.get<Example::Characters>();
  e.unknown = get_words(in);
  e.conditions.resize(in.get<uint8_t>());
  for (std::vector<int32_t>& condition : e.conditions) condition = in.get_list<int32_t>();
}

}  // namespace heed
