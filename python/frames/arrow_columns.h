#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "frames/arrow_abi.h"
#include "frames/columns.h"

namespace dcmrank::python {

/// An array and its type.
struct Typed {
  const ArrowSchema* type;
  const ArrowArray* array;
  std::int64_t shift = 0;  // of the struct that the column is in

  std::string_view format() const { return type->format; }
  std::int64_t offset() const { return array->offset + shift; }
  Validity validity() const { return {static_cast<const std::uint8_t*>(array->buffers[0])}; }
  Typed child(std::int64_t n) const { return {type->children[n], array->children[n]}; }
};

/// The column of that name in a batch, if there is one. Throws InputError where there are two.
std::optional<Typed> find_column(const char* name, const Typed& batch);

/// What a column holds. They throw nb::type_error, which names the column, for other types.
Ids ids_of(const char* column, const Typed& typed);
Numbers flags_of(const Typed& typed);
Numbers whole_numbers_of(const char* column, const Typed& typed);
Lists lists_of(const char* column, const Typed& typed);

/// A record batch, which keeps its buffers. Types stay the same from batch to batch.
struct Batch {
  ArrowOwner<ArrowArray> array;
  std::shared_ptr<const ArrowOwner<ArrowSchema>> schema;

  Typed typed() const { return {schema->get(), array.get()}; }
};

/// Hands over the batches of a stream one by one. Throws nb::type_error where it is no frame;
/// `what` says which columns it should have.
void visit_batches(ArrowArrayStream& stream, const char* what,
                   const std::function<void(std::shared_ptr<Batch>)>& visit);

}  // namespace dcmrank::python
