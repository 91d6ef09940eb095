#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/grid/trial.h"

namespace dcmrank::command {

/// Shared by the commands that keep finished cells in a folder.

/// --part I/N.
void add_part_option(CLI::App& command, std::string& part);

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
