#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frames/columns.h"
#include "frames/nb.h"

namespace dcmrank::python {

/// Ids copied from a list of Python objects: strings or whole numbers.
struct OwnedIds {
  std::vector<std::int64_t> offsets{0};
  std::string text;

  Ids ids() const;
};

/// Flags copied likewise: booleans or the whole numbers 0 and 1.
struct OwnedFlags {
  std::vector<std::uint8_t> flags;

  Numbers numbers() const { return {Whole::kU8, flags.data()}; }
};

/// Throws nb::type_error or InputError naming `column` and the row of an object that is none;
/// `row_ends` are where the lists of the rows end among `objects`, nullptr if each is a row.
OwnedIds ids_of_objects(const char* column, const nb::list& objects,
                        const std::vector<std::int64_t>* row_ends);
OwnedFlags flags_of_objects(const nb::list& objects, const std::vector<std::int64_t>& row_ends);

}  // namespace dcmrank::python
