#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frames/nb.h"

namespace dcmrank::python {

/// One column of a table: texts, numbers or flags, or lists of them.
struct Column {
  enum class Kind : std::uint8_t { kText, kReal, kWhole, kKey, kFlag };

  std::string name;
  Kind kind = Kind::kReal;
  bool lists = false;
  std::vector<std::int64_t> list_ends{0};  // where lists begin and end among the entries
  std::vector<std::int64_t> text_ends{0};  // where texts begin and end
  std::string text;
  std::vector<double> real;  // NaN if there is no value
  std::vector<std::int64_t> whole;
  std::vector<std::uint64_t> key;
  std::vector<std::uint8_t> flag;

  void add(std::string_view value) {
    text += value;
    text_ends.push_back(static_cast<std::int64_t>(text.size()));
  }
  void end_list() { list_ends.push_back(static_cast<std::int64_t>(entries())); }

  std::size_t entries() const;
  std::size_t rows() const { return lists ? list_ends.size() - 1 : entries(); }
  /// Adds the rows of another column of the same kind.
  void append(const Column& other);
};

Column make_column(std::string name, Column::Kind kind, bool lists = false);

/// A small data frame, which is what results are: immutable, exported by the Arrow C stream
/// interface without a copy of its numbers and texts.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  std::size_t rows() const;
  const std::vector<std::shared_ptr<const Column>>& columns() const { return columns_; }

 private:
  std::vector<std::shared_ptr<const Column>> columns_;
};

/// A capsule "arrow_array_stream" that owns what it needs of the table.
nb::capsule arrow_stream_of(const Table& table);

void bind_table(nb::module_& m);

}  // namespace dcmrank::python
