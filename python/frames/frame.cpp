#include "frames/frame.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/page/page.h"

namespace dcmrank::python {
namespace {

constexpr std::int64_t kRowsOfAPart = 1 << 16;
constexpr std::int64_t kRowsOfAGlance = 1 << 12;  // at the stop token

// Reads rows of one chunk, one after the other, into memory that is used again.
class RowReader {
 public:
  RowReader(const FrameChunk& chunk, std::int64_t row_of_first)
      : chunk_(&chunk), shift_(row_of_first) {}

  Impression read(std::int64_t i) {
    row_ = i + shift_;
    const auto query = id("query", chunk_->query, i, query_digits_.data());
    read_items(i);
    read_clicks(i);
    Impression impression{query, items_, clicks_, 0};
    if (chunk_->session) {
      impression.session =
          session_key(id("session", *chunk_->session, i, session_digits_.data()).text);
    }
    return impression;
  }

 private:
  Id id(const char* column, const Ids& ids, std::int64_t i, char* digits) const {
    if (ids.is_stray(i)) {
      refuse_row(column, row_,
                 fmt::format("has the key {} of a dictionary, which has {} entries",
                             ids.numbers.at(i), ids.dictionary_size));
    }
    if (!ids.has(i)) refuse_row(column, row_, "has a missing value");
    const std::string_view text = ids.at(i, digits);
    if (ids.kind == Ids::Kind::kNumbers) return Id(text);
    if (text.empty()) refuse_row(column, row_, "has an empty id");
    if (text.size() > kMaxId) {
      refuse_row(column, row_, fmt::format("has an id of more than {} bytes", kMaxId));
    }
    if (text.find('\0') != std::string_view::npos) refuse_row(column, row_, "has an id with a NUL");
    if (!is_utf8(text)) refuse_row(column, row_, "has an id that is not UTF-8");
    return Id(text);
  }

  void read_items(std::int64_t i) {
    if (!chunk_->item_lists.has(i)) refuse_row("items", row_, "is missing");
    const auto [begin, end] = chunk_->item_lists.at(i);
    const auto size = static_cast<std::size_t>(end - begin);
    if (size == 0) refuse_row("items", row_, "is an empty list");
    if (size > kMaxPositions) {
      refuse_row("items", row_, fmt::format("has {} items, more than {}", size, kMaxPositions));
    }
    digits_.resize(size * kDigits);
    items_.clear();
    for (std::int64_t n = begin; n < end; ++n) {
      items_.push_back(id("items", chunk_->items, n, digits_.data() + kDigits * items_.size()));
    }
    if (has_repeated_item(items_)) refuse_row("items", row_, "has an item twice");
  }

  void read_clicks(std::int64_t i) {
    if (!chunk_->has_clicks) return clicks_.assign(items_.size(), 0);
    if (!chunk_->click_lists.has(i)) refuse_row("clicks", row_, "is missing");
    const auto [begin, end] = chunk_->click_lists.at(i);
    const auto size = static_cast<std::size_t>(end - begin);
    if (size != items_.size()) {
      refuse_row("clicks", row_, fmt::format("has {} flags for {} items", size, items_.size()));
    }
    clicks_.resize(size);
    for (std::size_t k = 0; k < size; ++k) clicks_[k] = flag(begin + static_cast<std::int64_t>(k));
  }

  std::uint8_t flag(std::int64_t n) const {
    if (!chunk_->clicks.has(n)) refuse_row("clicks", row_, "has a missing value");
    const std::int64_t value = chunk_->clicks.at(n);
    if (value == 0 || value == 1) return static_cast<std::uint8_t>(value);
    const bool large = chunk_->clicks.is_unsigned() && value < 0;
    refuse_row("clicks", row_,
               fmt::format("has {}, which is not a flag (0 or 1)",
                           large ? fmt::format("{}", static_cast<std::uint64_t>(value))
                                 : fmt::format("{}", value)));
  }

  const FrameChunk* chunk_;
  std::int64_t shift_;
  std::int64_t row_ = 0;
  std::array<char, kDigits> query_digits_{};
  std::array<char, kDigits> session_digits_{};
  std::vector<char> digits_;
  std::vector<Id> items_;
  std::vector<std::uint8_t> clicks_;
};

}  // namespace

void refuse_row(const char* column, std::int64_t row, const std::string& what) {
  throw InputError(fmt::format("{}: row {} {}", column, row, what));
}

Frame::Frame(std::vector<FrameChunk> chunks) : chunks_(std::move(chunks)) {
  std::int64_t row = 0;
  for (const FrameChunk& chunk : chunks_) {
    for (std::int64_t begin = 0; begin < chunk.rows; begin += kRowsOfAPart) {
      const std::int64_t end = std::min(chunk.rows, begin + kRowsOfAPart);
      parts_.push_back({&chunk, begin, end, row + begin});
    }
    row += chunk.rows;
  }
  rows_ = static_cast<std::uint64_t>(row);
}

void Frame::read(std::size_t part, ImpressionSink& sink, const ReadControl& control) const {
  const Part& at = parts_[part];
  RowReader reader(*at.chunk, at.row - at.begin);
  for (std::int64_t begin = at.begin; begin < at.end; begin += kRowsOfAGlance) {
    if (control.stop.stop_requested()) throw Interrupted();
    const std::int64_t end = std::min(at.end, begin + kRowsOfAGlance);
    for (std::int64_t i = begin; i < end; ++i) sink.add(reader.read(i));
    if (control.bytes_done != nullptr) {
      *control.bytes_done += static_cast<std::uint64_t>(end - begin);
    }
  }
}

}  // namespace dcmrank::python
