#include "dcmrank/base/registration.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>

namespace dcmrank {
namespace {

constexpr int kUsage = 2;

// What the process did before where an exception is caught by nobody.
std::terminate_handler& usual_end() {
  static std::terminate_handler handler = nullptr;
  return handler;
}

[[noreturn]] void end() {
  if (const std::exception_ptr uncaught = std::current_exception()) {
    try {
      std::rethrow_exception(uncaught);
    } catch (const RegistrationError& error) {
      fmt::print(stderr, "dcmrank: {}\n", error.what());
      std::_Exit(kUsage);
    } catch (...) {  // somebody else's
    }
  }
  if (usual_end() != nullptr) usual_end()();
  std::abort();
}

}  // namespace

void refuse_registration(const std::string& why) {
  if (std::get_terminate() != end) usual_end() = std::set_terminate(end);
  throw RegistrationError(why);
}

}  // namespace dcmrank
