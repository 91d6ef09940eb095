#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcmrank/log/reader.h"
#include "frames/columns.h"

namespace dcmrank::python {

/// Whether clicks are needed: predicting them needs none.
enum class WantsClicks : bool { kNo, kYes };

/// Some rows of a data frame: pages, a list of items and a list of flags each.
struct FrameChunk {
  std::int64_t rows = 0;
  Ids query;
  Lists item_lists;
  Ids items;
  bool has_clicks = true;  // else nobody clicked
  Lists click_lists;
  Numbers clicks;
  std::optional<Ids> session;
  std::shared_ptr<const void> kept;  // whose buffers these are
};

/// A data frame as a log: every row is a page. A row that is not a page is refused, with its column
/// and row; rows count from 0, as frames count them.
class Frame : public PageTable {
 public:
  explicit Frame(std::vector<FrameChunk> chunks);

  std::size_t parts() const override { return parts_.size(); }
  std::uint64_t rows() const override { return rows_; }
  void read(std::size_t part, ImpressionSink& sink, const ReadControl& control) const override;

 private:
  struct Part {
    const FrameChunk* chunk;
    std::int64_t begin;
    std::int64_t end;
    std::int64_t row;  // of the frame, at `begin`
  };

  std::vector<FrameChunk> chunks_;
  std::vector<Part> parts_;
  std::uint64_t rows_ = 0;
};

/// Throws InputError: "COLUMN: row ROW WHAT".
[[noreturn]] void refuse_row(const char* column, std::int64_t row, const std::string& what);

}  // namespace dcmrank::python
