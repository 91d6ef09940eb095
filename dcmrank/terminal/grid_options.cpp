#include "dcmrank/terminal/grid_options.h"

#include <filesystem>

#include <fmt/format.h>

#include "dcmrank/terminal/options.h"

namespace dcmrank::command {

void add_part_option(CLI::App& command, std::string& part) {
  command
      .add_option("--part", part,
                  "Compute only every N-th cell, starting with number I: for one of N machines "
                  "that share the folder of --out, or whose cells are collected in it later")
      ->type_name("I/N");
}

std::string part_text(const GridPart& part, std::size_t done, std::size_t all,
                      const std::string& out) {
  return fmt::format(
      "Part {} of {}: {} of {} cells are in {}; once those of all parts are there, the same "
      "command without --part writes the results.\n",
      part.part, part.of, done, all, (std::filesystem::path(out) / "cells").string());
}

}  // namespace dcmrank::command
