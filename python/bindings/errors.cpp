// What the library throws, as Python's own errors.
#include <cctype>
#include <cstddef>
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

// An option in the command's words, --max-tails, as an argument: max_tails. `at` is where it
// begins.
void name_argument(std::string& text, std::size_t at) {
  text.erase(at, 2);
  for (; at < text.size() &&
         (std::islower(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-');
       ++at) {
    if (text[at] == '-') text[at] = '_';
  }
}

// The library speaks of the command's options: --steps is the argument steps here.
std::string python_words(std::string_view message) {
  std::string text(message);
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 1)) {
    const bool option =
        at + 2 < text.size() && std::islower(static_cast<unsigned char>(text[at + 2])) != 0;
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    if (option && begins) name_argument(text, at);
  }
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
