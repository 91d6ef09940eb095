#include "frames/table.h"

#include <stdexcept>
#include <tuple>
#include <utility>

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "frames/report.h"

namespace dcmrank::python {
namespace {

template <class T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Where pieces end, after `before` that came earlier; the first is where all begin.
void extend_ends(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  const std::int64_t before = to.back();
  for (std::size_t i = 1; i < from.size(); ++i) to.push_back(before + from[i]);
}

// A numpy array that shares the vector, read-only.
template <class T>
nb::any array_of(const std::shared_ptr<const Column>& column, const std::vector<T>& values) {
  auto* kept = new std::shared_ptr<const Column>(column);  // NOLINT: the capsule deletes it
  const nb::capsule owner(kept, [](void* p) noexcept {
    delete static_cast<std::shared_ptr<const Column>*>(p);  // NOLINT: as above
  });
  return any_of(nb::cast(
      nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner)));
}

nb::any texts_of(const Column& column) {
  nb::list texts;
  for (std::size_t i = 0; i + 1 < column.text_ends.size(); ++i) {
    const auto begin = static_cast<std::size_t>(column.text_ends[i]);
    const auto size = static_cast<std::size_t>(column.text_ends[i + 1]) - begin;
    texts.append(nb::str(column.text.data() + begin, size));
  }
  return any_of(texts);
}

const std::shared_ptr<const Column>& find(const Table& table, const std::string& name) {
  for (const auto& column : table.columns()) {
    if (column->name == name) return column;
  }
  throw nb::key_error(name.c_str());
}

nb::any entries_of(const Table& table, const std::string& name) {
  const auto& column = find(table, name);
  switch (column->kind) {
    case Column::Kind::kText:
      return texts_of(*column);
    case Column::Kind::kWhole:
      return array_of(column, column->whole);
    case Column::Kind::kKey:
      return array_of(column, column->key);
    case Column::Kind::kFlag:
      return array_of(column, column->flag);
    default:
      return array_of(column, column->real);
  }
}

void add_entry(Column& to, const Column& from, std::size_t n) {
  switch (from.kind) {
    case Column::Kind::kText: {
      const auto begin = static_cast<std::size_t>(from.text_ends[n]);
      const auto end = static_cast<std::size_t>(from.text_ends[n + 1]);
      return to.add(std::string_view(from.text).substr(begin, end - begin));
    }
    case Column::Kind::kWhole:
      return to.whole.push_back(from.whole[n]);
    case Column::Kind::kKey:
      return to.key.push_back(from.key[n]);
    case Column::Kind::kFlag:
      return to.flag.push_back(from.flag[n]);
    default:
      return to.real.push_back(from.real[n]);
  }
}

using RowNumbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The rows of these numbers, in their order; Python has checked them.
Table rows_of(const Table& table, const RowNumbers& rows) {
  std::vector<Column> columns;
  for (const auto& from : table.columns()) {
    Column& to = columns.emplace_back(make_column(from->name, from->kind, from->lists));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto row = static_cast<std::size_t>(rows.data()[r]);
      if (!from->lists) {
        add_entry(to, *from, row);
        continue;
      }
      const auto end = static_cast<std::size_t>(from->list_ends[row + 1]);
      for (auto n = static_cast<std::size_t>(from->list_ends[row]); n < end; ++n) {
        add_entry(to, *from, n);
      }
      to.end_list();
    }
  }
  return Table(std::move(columns));
}

template <class T>
nb::bytes bytes_of(const std::vector<T>& values) {
  return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::vector<T> values_of(const nb::bytes& bytes) {
  const auto* data = static_cast<const T*>(bytes.data());
  return {data, data + bytes.size() / sizeof(T)};
}

// A column as it is pickled: name, kind, whether it has lists, and its vectors.
using ColumnState = std::tuple<std::string, int, bool, nb::bytes, nb::bytes, nb::bytes, nb::bytes,
                               nb::bytes, nb::bytes, nb::bytes>;

ColumnState state_of(const Column& c) {
  return {c.name,
          static_cast<int>(c.kind),
          c.lists,
          bytes_of(c.list_ends),
          bytes_of(c.text_ends),
          nb::bytes(c.text.data(), c.text.size()),
          bytes_of(c.real),
          bytes_of(c.whole),
          bytes_of(c.key),
          bytes_of(c.flag)};
}

Column column_of(const ColumnState& state) {
  Column c;
  c.name = std::get<0>(state);
  c.kind = static_cast<Column::Kind>(std::get<1>(state));
  c.lists = std::get<2>(state);
  c.list_ends = values_of<std::int64_t>(std::get<3>(state));
  c.text_ends = values_of<std::int64_t>(std::get<4>(state));
  c.text.assign(std::get<5>(state).c_str(), std::get<5>(state).size());
  c.real = values_of<double>(std::get<6>(state));
  c.whole = values_of<std::int64_t>(std::get<7>(state));
  c.key = values_of<std::uint64_t>(std::get<8>(state));
  c.flag = values_of<std::uint8_t>(std::get<9>(state));
  return c;
}

std::vector<ColumnState> table_state(const Table& table) {
  std::vector<ColumnState> state;
  for (const auto& column : table.columns()) state.push_back(state_of(*column));
  return state;
}

void restore(Table& table, const std::vector<ColumnState>& state) {
  std::vector<Column> columns;
  for (const ColumnState& column : state) columns.push_back(column_of(column));
  new (&table) Table(std::move(columns));
}

}  // namespace

Column make_column(std::string name, Column::Kind kind, bool lists) {
  Column column;
  column.name = std::move(name);
  column.kind = kind;
  column.lists = lists;
  return column;
}

std::size_t Column::entries() const {
  switch (kind) {
    case Kind::kText:
      return text_ends.size() - 1;
    case Kind::kWhole:
      return whole.size();
    case Kind::kKey:
      return key.size();
    case Kind::kFlag:
      return flag.size();
    default:
      return real.size();
  }
}

void Column::append(const Column& other) {
  extend_ends(list_ends, other.list_ends);
  extend_ends(text_ends, other.text_ends);
  text += other.text;
  extend(real, other.real);
  extend(whole, other.whole);
  extend(key, other.key);
  extend(flag, other.flag);
}

Table::Table(std::vector<Column> columns) {
  for (Column& column : columns) {
    columns_.push_back(std::make_shared<const Column>(std::move(column)));
  }
}

std::size_t Table::rows() const { return columns_.empty() ? 0 : columns_.front()->rows(); }

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table")
      .def("rows", &Table::rows)
      .def("names",
           [](const Table& table) {
             std::vector<std::string> names;
             for (const auto& column : table.columns()) names.push_back(column->name);
             return names;
           })
      .def("has_lists",
           [](const Table& table, const std::string& name) { return find(table, name)->lists; })
      .def("is_text",
           [](const Table& table, const std::string& name) {
             return find(table, name)->kind == Column::Kind::kText;
           })
      .def("is_flag",
           [](const Table& table, const std::string& name) {
             return find(table, name)->kind == Column::Kind::kFlag;
           })
      .def("entries", entries_of)
      .def("list_ends",
           [](const Table& table, const std::string& name) {
             const auto& column = find(table, name);
             return array_of(column, column->list_ends);
           })
      .def("stream", arrow_stream_of)
      .def("take", rows_of, Alone(), nb::arg("rows"),
           nb::sig("def take(self, rows: numpy.typing.NDArray[numpy.int64]) -> Table"))
      .def("__getstate__", table_state)
      .def("__setstate__", restore);
}

}  // namespace dcmrank::python
