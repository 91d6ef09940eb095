#pragma once

#include "dcmrank/log/reader.h"

namespace dcmrank::python {

/// What models are fitted to and scored on, as Python holds it: files or a frame, and how they are
/// read.
struct Pages {
  Log log;
  bool strict = false;

  ReadOptions reading(unsigned threads, const ReadControl& control) const {
    return {threads, strict, control};
  }
};

}  // namespace dcmrank::python
