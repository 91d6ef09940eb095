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

void refuse_outputs_of_part(const std::string& part,
                            std::initializer_list<std::pair<const char*, bool>> outputs) {
  if (part.empty()) return;
  for (const auto& [option, given] : outputs) {
    if (!given) continue;
    throw InputError(
        fmt::format("{} writes nothing with --part, which computes cells: once those of all parts "
                    "are there, it belongs to the same command without --part",
                    option));
  }
}

std::string part_text(const GridPart& part, std::size_t done, std::size_t all,
                      const std::string& out) {
  return fmt::format(
      "Part {} of {}: {} of {} cells are in {}; once those of all parts are there, the same "
      "command without --part writes the results.\n",
      part.part, part.of, done, all, (std::filesystem::path(out) / "cells").string());
}

}  // namespace dcmrank::command
