// Files that appear whole or not at all, for the Python side.

#include "bindings.h"
#include "dcmrank/base/atomic_file.h"

namespace dcmrank::python {
namespace {

void write_file(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

void bind_files(nb::module_& m) {
  m.def("write_file", &write_file, nb::arg("path"), nb::arg("text"), Alone());
  m.def("read_file", &read_file, nb::arg("path"), Alone());
}

}  // namespace dcmrank::python
