// Lists of examples and utterances, stored back to back as bytes with end offsets: a fifth of the
// memory of vectors of vectors, and in one piece, so that the processes of a machine can share one
// copy in memory (train/neighbours.h).
#pragma once

#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "dialog/data/example.h"
#include "tensor/bytes.h"

namespace heed {

void each_member(auto& bytes, Example& e) {
  bytes(e.id, e.dialogue_id, e.context, e.distraction, e.response, e.cut.turns, e.cut.distractions,
        e.cut.utterances, e.cut.context, e.cut.response, e.response_is_distraction, e.characters,
        e.unknown, e.conditions);
}

// Strings of bytes. They are in the list's own memory, which grows, or in memory that another owner
// has filled with the same two blocks, which is only read.
class PackedBytes {
 public:
  PackedBytes() = default;
  PackedBytes(Bytes ends, Bytes rows)
      : shared_ends_(std::move(ends)), shared_rows_(std::move(rows)), shared_(true) {}

  size_t size() const { return ends().size() / sizeof(uint64_t); }
  std::string_view operator[](size_t i) const;
  void push_back(std::string_view row);

  std::string_view ends() const;  // of each row, counted from the beginning of the first; u64
  std::string_view rows() const;

 private:
  std::vector<uint64_t> own_ends_;
  std::vector<char> own_rows_;
  Bytes shared_ends_, shared_rows_;
  bool shared_ = false;
};

// An element is what BytesOut writes. It is decoded anew on each access, and cannot be changed in
// place.
template <class T> class PackedList {
 public:
  PackedList() = default;
  PackedList(const std::vector<T>& list) {
    for (const T& value : list) push_back(value);
  }
  PackedList(std::initializer_list<T> list) {
    for (const T& value : list) push_back(value);
  }

  size_t size() const { return packed_.size(); }
  bool empty() const { return size() == 0; }
  T operator[](size_t i) const {
    T value;
    BytesIn in(packed_[i]);
    in(value);
    return value;
  }
  void push_back(const T& value) {
    BytesOut out;
    out(value);
    packed_.push_back(out.bytes());
  }
  std::vector<T> to_vector() const { return std::vector<T>(begin(), end()); }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = T;

    Iterator(const PackedList& list, size_t at) : list_(&list), at_(at) {}
    T operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const PackedList* list_;
    size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  // The bytes, for moving the list to other memory.
  const PackedBytes& packed() const { return packed_; }
  void set_packed(PackedBytes packed) { packed_ = std::move(packed); }

 private:
  PackedBytes packed_;
};

}  // namespace heed
