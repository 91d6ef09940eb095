// dcmrank._core: the library as Python sees it. The bindings are thin; what is shown to users
// (argument checks, tables, plots) is in the package's Python files.
#include "bindings.h"

NB_MODULE(_core, m) {
  namespace python = dcmrank::python;
  // Objects that are alive when the interpreter ends (in caches, in tracebacks) are no news to
  // users.
  nanobind::set_leak_warnings(false);
  m.attr("version") = DCMRANK_VERSION;
  python::bind_errors(m);
  python::bind_files(m);
  python::bind_problems(m);
  python::bind_policies(m);
  python::bind_compare(m);
  python::bind_models(m);
  python::bind_logs(m);
  python::bind_counts(m);
}
