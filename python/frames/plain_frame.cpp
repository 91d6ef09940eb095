// Frames of plain columns: pandas without Arrow.
#include "frames/plain_frame.h"

#include <string>
#include <utility>
#include <vector>

#include "frames/objects_in.h"

namespace dcmrank::python {
namespace {

// What a frame of plain columns keeps alive.
struct Kept {
  std::vector<std::int64_t> item_ends;
  std::vector<std::int64_t> click_ends;
  std::vector<std::shared_ptr<const void>> columns;

  template <class T>
  const T& keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    columns.push_back(kept);
    return *kept;
  }
};

Numbers numbers_of(const Array& array) {
  const nb::dlpack::dtype type = array.dtype();
  const bool is_signed = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int);
  Numbers numbers;
  numbers.data = array.data();
  switch (type.bits) {
    case 8:  // booleans too: bytes of 0 and 1
      numbers.kind = is_signed ? Whole::kI8 : Whole::kU8;
      break;
    case 16:
      numbers.kind = is_signed ? Whole::kI16 : Whole::kU16;
      break;
    case 32:
      numbers.kind = is_signed ? Whole::kI32 : Whole::kU32;
      break;
    default:
      numbers.kind = is_signed ? Whole::kI64 : Whole::kU64;
  }
  return numbers;
}

// Python copies what is not its own: arrays are copied into vectors, so that no thread without the
// GIL ever lets go of one.
Numbers kept_numbers(const Array& array, Kept& kept) {
  Numbers numbers = numbers_of(array);
  const auto* begin = static_cast<const char*>(array.data());
  numbers.data = kept.keep(std::vector<char>(begin, begin + array.nbytes())).data();
  return numbers;
}

Ids plain_ids(const char* name, const PlainColumn& column,
              const std::vector<std::int64_t>* row_ends, Kept& kept) {
  if (const auto* objects = std::get_if<nb::list>(&column)) {
    return kept.keep(ids_of_objects(name, *objects, row_ends)).ids();
  }
  Ids ids;
  ids.kind = Ids::Kind::kNumbers;
  ids.numbers = kept_numbers(std::get<Array>(column), kept);
  return ids;
}

Numbers plain_flags(const PlainColumn& column, Kept& kept) {
  if (const auto* objects = std::get_if<nb::list>(&column)) {
    return kept.keep(flags_of_objects(*objects, kept.click_ends)).numbers();
  }
  return kept_numbers(std::get<Array>(column), kept);
}

// Lists by their ends: the offsets are a 0 and these.
Lists plain_lists(const std::vector<std::int64_t>& ends, Kept& kept) {
  std::vector<std::int64_t> offsets{0};
  offsets.insert(offsets.end(), ends.begin(), ends.end());
  Lists lists;
  lists.offsets = kept.keep(std::move(offsets)).data();
  return lists;
}

std::vector<std::int64_t> copy(const Int64s& array) {
  return {array.data(), array.data() + array.size()};
}

}  // namespace

std::shared_ptr<const Frame> plain_frame(const PlainColumns& columns) {
  const auto kept = std::make_shared<Kept>();
  kept->item_ends = copy(columns.items.ends);
  if (columns.click_ends) kept->click_ends = copy(*columns.click_ends);
  FrameChunk chunk;
  chunk.rows = static_cast<std::int64_t>(kept->item_ends.size());
  chunk.query = plain_ids("query", columns.query, nullptr, *kept);
  chunk.item_lists = plain_lists(kept->item_ends, *kept);
  chunk.items = plain_ids("items", columns.items.entries, &kept->item_ends, *kept);
  chunk.has_clicks = columns.click_ends && columns.clicks;
  if (chunk.has_clicks) {
    chunk.click_lists = plain_lists(kept->click_ends, *kept);
    chunk.clicks = plain_flags(*columns.clicks, *kept);
  }
  if (columns.session) chunk.session = plain_ids("session", *columns.session, nullptr, *kept);
  chunk.kept = kept;
  return std::make_shared<const Frame>(std::vector<FrameChunk>{std::move(chunk)});
}

}  // namespace dcmrank::python
