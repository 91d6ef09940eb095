#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/grid/trial.h"

namespace dcmrank::command {

/// Shared by the commands that keep finished cells in a folder.

/// --part I/N.
void add_part_option(CLI::App& command, std::string& part);

/// Throws InputError where the command is told to do a part, which writes nothing else, and to
/// write something: options and what they were given.
void refuse_outputs_of_part(const std::string& part,
                            std::initializer_list<std::pair<const char*, bool>> outputs);

/// What a command says after doing only a part of `all` cells.
std::string part_text(const GridPart& part, std::size_t done, std::size_t all,
                      const std::string& out);

/// Does the work; if it is interrupted, the message says that nothing is lost.
template <class Work>
auto resumable(Work work) {
  try {
    return work();
  } catch (const Interrupted&) {
    throw Interrupted("interrupted; the same command resumes with what is left");
  }
}

}  // namespace dcmrank::command
