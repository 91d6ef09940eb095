#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace dcmrank::python {

/// Columns of a data frame as they are in memory: views of buffers that somebody else keeps.

/// Which entries are there.
struct Validity {
  const std::uint8_t* bits = nullptr;  // nullptr: all

  bool has(std::int64_t i) const { return bits == nullptr || (bits[i >> 3] >> (i & 7) & 1) != 0; }
};

/// How numbers are stored.
enum class Whole : std::uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kBit };

/// Whole numbers, or bits. A column may begin somewhere in its buffers: at `offset`.
struct Numbers {
  Whole kind = Whole::kI64;
  const void* data = nullptr;
  Validity validity = {};
  std::int64_t offset = 0;

  bool is_unsigned() const { return kind == Whole::kU64; }
  bool has(std::int64_t i) const { return validity.has(i + offset); }

  std::int64_t at(std::int64_t i) const {
    i += offset;
    switch (kind) {
      case Whole::kBit:
        return static_cast<const std::uint8_t*>(data)[i >> 3] >> (i & 7) & 1;
      case Whole::kI8:
        return load<std::int8_t>(i);
      case Whole::kU8:
        return load<std::uint8_t>(i);
      case Whole::kI16:
        return load<std::int16_t>(i);
      case Whole::kU16:
        return load<std::uint16_t>(i);
      case Whole::kI32:
        return load<std::int32_t>(i);
      case Whole::kU32:
        return load<std::uint32_t>(i);
      default:
        return load<std::int64_t>(i);  // of kU64 the same bits
    }
  }

 private:
  template <class T>
  std::int64_t load(std::int64_t i) const {
    return static_cast<const T*>(data)[i];
  }
};

/// Room for a number as text.
inline constexpr std::size_t kDigits = 24;

/// Ids of queries or items: texts, whole numbers, or either by way of a dictionary.
struct Ids {
  enum class Kind : std::uint8_t { kText32, kText64, kTextView, kNumbers, kDictionary };

  Kind kind = Kind::kText64;
  Validity validity = {};
  const void* offsets = nullptr;  // of texts; of views the views
  const char* text = nullptr;
  const void* const* pieces = nullptr;  // of views
  Numbers numbers = {};                 // or the keys of a dictionary
  std::shared_ptr<const Ids> dictionary = {};
  std::int64_t dictionary_size = 0;
  std::int64_t offset = 0;

  /// Whether an entry has a key that its dictionary lacks: has() and at() must not be asked then.
  bool is_stray(std::int64_t i) const {
    if (kind != Kind::kDictionary || !numbers.has(i)) return false;
    const std::int64_t key = numbers.at(i);
    return key < 0 || key >= dictionary_size;
  }

  bool has(std::int64_t i) const {
    if (kind == Kind::kNumbers) return numbers.has(i);
    if (kind != Kind::kDictionary) return validity.has(i + offset);
    return numbers.has(i) && dictionary->has(numbers.at(i));
  }

  /// The text of an entry that is there; that of a number is written to `digits`.
  std::string_view at(std::int64_t i, char* digits) const {
    switch (kind) {
      case Kind::kText32:
        return between<std::int32_t>(i + offset);
      case Kind::kText64:
        return between<std::int64_t>(i + offset);
      case Kind::kTextView:
        return view(i + offset);
      case Kind::kNumbers:
        return number(i, digits);
      default:
        return dictionary->at(numbers.at(i), digits);
    }
  }

 private:
  template <class Offset>
  std::string_view between(std::int64_t i) const {
    const auto* at = static_cast<const Offset*>(offsets);
    return {text + at[i], static_cast<std::size_t>(at[i + 1] - at[i])};
  }

  // Sixteen bytes: the size, then the text itself or four bytes of it, the piece, and the place.
  std::string_view view(std::int64_t i) const {
    const char* entry = static_cast<const char*>(offsets) + 16 * i;
    std::int32_t words[4];
    std::memcpy(words, entry, sizeof words);
    const auto size = static_cast<std::size_t>(words[0]);
    if (size <= 12) return {entry + 4, size};
    return {static_cast<const char*>(pieces[words[2]]) + words[3], size};
  }

  std::string_view number(std::int64_t i, char* digits) const {
    const std::int64_t value = numbers.at(i);
    const auto end = numbers.is_unsigned() ? std::to_chars(digits, digits + kDigits,
                                                           static_cast<std::uint64_t>(value))
                                           : std::to_chars(digits, digits + kDigits, value);
    return {digits, static_cast<std::size_t>(end.ptr - digits)};
  }
};

/// Where the lists of a column begin and end among its entries.
struct Lists {
  enum class Kind : std::uint8_t { kOffsets32, kOffsets64, kFixed, kView32, kView64 };

  Kind kind = Kind::kOffsets64;
  Validity validity = {};
  const void* offsets = nullptr;
  const void* sizes = nullptr;  // of views
  std::int64_t fixed = 0;
  std::int64_t offset = 0;

  bool has(std::int64_t i) const { return validity.has(i + offset); }

  /// Begin and end.
  std::pair<std::int64_t, std::int64_t> at(std::int64_t i) const {
    i += offset;
    switch (kind) {
      case Kind::kOffsets32:
        return between<std::int32_t>(i);
      case Kind::kOffsets64:
        return between<std::int64_t>(i);
      case Kind::kFixed:
        return {i * fixed, (i + 1) * fixed};
      case Kind::kView32:
        return view<std::int32_t>(i);
      default:
        return view<std::int64_t>(i);
    }
  }

 private:
  template <class Offset>
  std::pair<std::int64_t, std::int64_t> between(std::int64_t i) const {
    const auto* at = static_cast<const Offset*>(offsets);
    return {at[i], at[i + 1]};
  }
  template <class Offset>
  std::pair<std::int64_t, std::int64_t> view(std::int64_t i) const {
    const std::int64_t begin = static_cast<const Offset*>(offsets)[i];
    return {begin, begin + static_cast<const Offset*>(sizes)[i]};
  }
};

}  // namespace dcmrank::python
