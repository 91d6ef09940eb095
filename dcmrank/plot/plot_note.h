#pragma once

#include <string>
#include <vector>

namespace dcmrank {

/// What a user should know of a picture: its file is named between `before` and `after`. Empty
/// where there is nothing to tell.
struct PlotNote {
  std::string before{};
  std::string file{};
  std::string after{};
  std::string after_several{};  // where that is not what follows several files too

  std::string text() const { return before + file + after; }
};
using PlotNotes = std::vector<PlotNote>;

/// The notes in the order in which they came, those that differ only in their file as one.
std::vector<std::string> told_once(const PlotNotes& notes);

}  // namespace dcmrank
