// What the library throws, as Python's own errors.
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "arrays.h"
#include "bindings.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/file_error.h"

namespace dcmrank::python {
namespace {

// The library speaks of the command's options: --steps is the argument steps here.
std::string python_words(std::string_view message) {
  if (message.starts_with("--")) message.remove_prefix(2);
  std::string text(message);
  constexpr std::string_view kCommand = "'dcmrank policies' lists them";
  if (const auto at = text.find(kCommand); at != std::string::npos) {
    text.replace(at, kCommand.size(), "dcmrank.policies() lists them");
  }
  return text;
}

// Messages may quote bytes of a file, which may be anything.
void raise(PyObject* type, std::string_view message) {
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
  if (text.is_valid()) PyErr_SetObject(type, text.ptr());
}

// OSError chooses its subclass by the code: FileNotFoundError, PermissionError and so on.
void raise_os_error(const FileError& error) {
  const nb::object raised = nb::steal(PyObject_CallFunction(
      PyExc_OSError, "iss", error.code(), std::generic_category().message(error.code()).c_str(),
      error.path().c_str()));
  if (raised.is_valid()) PyErr_SetObject(raised.type().ptr(), raised.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const FileError& error) {
    raise_os_error(error);
  } catch (const InputError& error) {
    raise(PyExc_ValueError, python_words(error.what()));
  } catch (const TypeError& error) {
    raise(PyExc_TypeError, error.what());
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

}  // namespace

void bind_errors(nb::module_& /*m*/) { nb::register_exception_translator(translate); }

}  // namespace dcmrank::python
