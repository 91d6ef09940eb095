#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include <nanobind/ndarray.h>

#include "frames/frame.h"
#include "frames/nb.h"

namespace dcmrank::python {

using Int64s = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A column of pandas: an array of whole numbers or booleans, or a list of Python objects.
using PlainColumn = std::variant<Array, nb::list>;

/// The entries of a column of lists, and where each list ends among them.
struct PlainLists {
  const Int64s& ends;
  const PlainColumn& entries;
};

struct PlainColumns {
  const PlainColumn& query;
  PlainLists items;
  const std::optional<Int64s>& click_ends;  // nothing: clicks are not wanted
  const std::optional<PlainColumn>& clicks;
  const std::optional<PlainColumn>& session;
};

/// A frame of plain columns, which are copied. Throws nb::type_error or InputError naming the
/// column and the row at fault.
std::shared_ptr<const Frame> plain_frame(const PlainColumns& columns);

}  // namespace dcmrank::python
