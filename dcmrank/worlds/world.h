#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/users/problem.h"

namespace dcmrank {

/// A problem with a name: one row of an arena.
struct World {
  std::string name;
  std::string source;  // where it comes from: a file, a model, a seed
  Problem problem;

  const std::string& kind() const { return problem.model(); }
};

/// A problem file or an lb: specification; the name is the file's without folder and ending.
World world_of_file(const std::string& spec);

/// The `top` most frequent queries of a fitted model that have at least two items; equally frequent
/// ones in the order of the file. With `min_shown`, their items that were shown less are left out,
/// and queries of which too few remain are passed over. Throws InputError if there is none.
std::vector<World> worlds_of_model(const std::string& path, std::size_t top,
                                   std::uint64_t min_shown = 0);

/// Names that occur twice get a number, " (2)".
std::vector<std::string> distinct(const std::vector<std::string>& names);
void make_names_differ(std::vector<World>& worlds);

}  // namespace dcmrank
