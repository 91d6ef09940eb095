#pragma once

#include <exception>
#include <string>

namespace dcmrank {

/// Notes who threw the exception that is being handled, which then flies on as what it is: somebody
/// may catch it by its type. `who` is "policy 'mine', round 3". The last note of an exception
/// counts. Any thread.
void blame(const std::exception& error, std::string who);

/// "WHO: MESSAGE" where that was noted of this very exception, else its message. Without a message
/// it says that there is none.
std::string told(const std::exception& error);

/// Call where an exception is being handled, of whatever type: throws InputError "WHO: MESSAGE". An
/// interruption, and that memory ran out, stay what they are.
[[noreturn]] void rethrow_as_input_error(const std::string& who);

}  // namespace dcmrank
