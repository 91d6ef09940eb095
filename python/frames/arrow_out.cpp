// Tables by the Arrow C stream interface: a stream of one batch.
#include <cerrno>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frames/arrow_abi.h"
#include "frames/table.h"

namespace dcmrank::python {
namespace {

using Columns = std::vector<std::shared_ptr<const Column>>;

// What a schema or an array that we handed out owns: its children, and what its pointers point to.
template <class Struct>
struct Owned {
  std::string format;
  std::string name;
  std::shared_ptr<const Column> column;
  std::vector<std::uint8_t> bits;
  std::vector<std::uint8_t> validity;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Struct>> children;
  std::vector<Struct*> child_pointers;

  ~Owned() {
    for (const auto& child : children) {
      if (child->release != nullptr) child->release(child.get());
    }
  }
};

template <class Struct>
void release(Struct* released) {
  const std::unique_ptr<Owned<Struct>> owned(static_cast<Owned<Struct>*>(released->private_data));
  released->release = nullptr;
}

// Fills in what schemas and arrays have in common, and gives the owner away.
template <class Struct>
void finish(std::unique_ptr<Owned<Struct>> owned, Struct& out) {
  for (const auto& child : owned->children) owned->child_pointers.push_back(child.get());
  out.n_children = static_cast<std::int64_t>(owned->children.size());
  out.children = owned->child_pointers.empty() ? nullptr : owned->child_pointers.data();
  out.dictionary = nullptr;
  out.release = release<Struct>;
  out.private_data = owned.release();
}

const char* format_of(Column::Kind kind) {
  switch (kind) {
    case Column::Kind::kText:
      return "U";
    case Column::Kind::kWhole:
      return "l";
    case Column::Kind::kKey:
      return "L";
    case Column::Kind::kFlag:
      return "b";
    default:
      return "g";
  }
}

void finish_schema(std::unique_ptr<Owned<ArrowSchema>> owned, ArrowSchema& out) {
  out.format = owned->format.c_str();
  out.name = owned->name.c_str();
  out.metadata = nullptr;
  out.flags = kArrowNullable;
  finish(std::move(owned), out);
}

void entries_schema(const Column& column, std::string name, ArrowSchema& out) {
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  owned->format = format_of(column.kind);
  owned->name = std::move(name);
  finish_schema(std::move(owned), out);
}

void column_schema(const Column& column, ArrowSchema& out) {
  if (!column.lists) return entries_schema(column, column.name, out);
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  owned->format = "+L";
  owned->name = column.name;
  owned->children.push_back(std::make_unique<ArrowSchema>());
  entries_schema(column, "item", *owned->children.back());
  finish_schema(std::move(owned), out);
}

void table_schema(const Columns& columns, ArrowSchema& out) {
  auto owned = std::make_unique<Owned<ArrowSchema>>();
  owned->format = "+s";
  for (const auto& column : columns) {
    owned->children.push_back(std::make_unique<ArrowSchema>());
    column_schema(*column, *owned->children.back());
  }
  finish_schema(std::move(owned), out);
}

template <class IsSet>
std::vector<std::uint8_t> packed(std::size_t size, IsSet is_set) {
  std::vector<std::uint8_t> bits((size + 7) / 8);
  for (std::size_t i = 0; i < size; ++i) {
    if (is_set(i)) bits[i / 8] |= static_cast<std::uint8_t>(1U << i % 8);
  }
  return bits;
}

void finish_array(std::unique_ptr<Owned<ArrowArray>> owned, std::size_t length, ArrowArray& out) {
  out.length = static_cast<std::int64_t>(length);
  out.null_count = owned->buffers[0] == nullptr ? 0 : -1;
  out.offset = 0;
  out.n_buffers = static_cast<std::int64_t>(owned->buffers.size());
  out.buffers = owned->buffers.data();
  finish(std::move(owned), out);
}

// NaN is no value.
const void* validity_of(const Column& column, Owned<ArrowArray>& owned) {
  if (column.kind != Column::Kind::kReal) return nullptr;
  const auto is_there = [&](std::size_t i) { return !std::isnan(column.real[i]); };
  std::size_t there = 0;
  for (std::size_t i = 0; i < column.real.size(); ++i) there += is_there(i) ? 1 : 0;
  if (there == column.real.size()) return nullptr;
  owned.validity = packed(column.real.size(), is_there);
  return owned.validity.data();
}

void entries_array(const std::shared_ptr<const Column>& column, ArrowArray& out) {
  auto owned = std::make_unique<Owned<ArrowArray>>();
  owned->column = column;
  owned->buffers.push_back(validity_of(*column, *owned));
  switch (column->kind) {
    case Column::Kind::kText:
      owned->buffers.push_back(column->text_ends.data());
      owned->buffers.push_back(column->text.data());
      break;
    case Column::Kind::kWhole:
      owned->buffers.push_back(column->whole.data());
      break;
    case Column::Kind::kKey:
      owned->buffers.push_back(column->key.data());
      break;
    case Column::Kind::kFlag:
      owned->bits =
          packed(column->flag.size(), [&](std::size_t i) { return column->flag[i] != 0; });
      owned->buffers.push_back(owned->bits.data());
      break;
    default:
      owned->buffers.push_back(column->real.data());
  }
  finish_array(std::move(owned), column->entries(), out);
}

void column_array(const std::shared_ptr<const Column>& column, ArrowArray& out) {
  if (!column->lists) return entries_array(column, out);
  auto owned = std::make_unique<Owned<ArrowArray>>();
  owned->column = column;
  owned->buffers = {nullptr, column->list_ends.data()};
  owned->children.push_back(std::make_unique<ArrowArray>());
  entries_array(column, *owned->children.back());
  finish_array(std::move(owned), column->rows(), out);
}

void table_array(const Columns& columns, ArrowArray& out) {
  auto owned = std::make_unique<Owned<ArrowArray>>();
  owned->buffers = {nullptr};
  for (const auto& column : columns) {
    owned->children.push_back(std::make_unique<ArrowArray>());
    column_array(column, *owned->children.back());
  }
  finish_array(std::move(owned), columns.empty() ? 0 : columns.front()->rows(), out);
}

struct Stream {
  Columns columns;
  bool read = false;
};

// Nothing may be thrown through the interface: the only failure is that memory ran out.
template <class Work>
int guarded(Work work) {
  try {
    work();
    return 0;
  } catch (...) {
    return ENOMEM;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded(
      [&] { table_schema(static_cast<const Stream*>(stream->private_data)->columns, *out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto* state = static_cast<Stream*>(stream->private_data);
  *out = {};
  if (std::exchange(state->read, true)) return 0;
  return guarded([&] { table_array(state->columns, *out); });
}

void release_stream(ArrowArrayStream* stream) {
  const std::unique_ptr<Stream> owned(static_cast<Stream*>(stream->private_data));
  stream->release = nullptr;
}

// A consumer takes the stream out of the capsule; else it is released with it.
void release_capsule(PyObject* capsule) {
  const std::unique_ptr<ArrowArrayStream> stream(
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream")));
  if (stream && stream->release != nullptr) stream->release(stream.get());
}

}  // namespace

nb::capsule arrow_stream_of(const Table& table) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->get_schema = get_schema;
  stream->get_next = get_next;
  stream->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream->release = release_stream;
  stream->private_data = new Stream{table.columns()};  // NOLINT: release_stream deletes it
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", release_capsule);
  if (capsule == nullptr) {
    stream->release(stream.get());
    nb::raise_python_error();
  }
  stream.release();  // NOLINT(bugprone-unused-return-value): release_capsule deletes it
  return nb::steal<nb::capsule>(capsule);
}

}  // namespace dcmrank::python
