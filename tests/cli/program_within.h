#pragma once

namespace dcmrank::testing {

/// A program with a sanitizer takes far longer to start than most commands to run. In builds that
/// have one, the tests hold the program, too: what they run is a copy of their own process, which
/// has started already.

/// Whether a process that is forked now can be the program: it is within, and no other thread is
/// under way.
bool program_is_within();

/// Goes on as the program does with these words, from main to its end; open files but the first
/// three are closed.
[[noreturn]] void end_as_program(int count, char** words);

}  // namespace dcmrank::testing
