#pragma once

#include <memory>

#include "frames/arrow_abi.h"
#include "frames/frame.h"

namespace dcmrank::python {

/// The frame that a stream of record batches is: its columns query, items, clicks (unless they are
/// not `wanted`) and, where it has one, session. Nothing is copied; the batches are kept. Throws
/// nb::type_error naming a column of a type that makes no sense, and InputError naming one that is
/// missing.
std::shared_ptr<const Frame> frame_of_stream(ArrowArrayStream& stream, WantsClicks wanted);

}  // namespace dcmrank::python
