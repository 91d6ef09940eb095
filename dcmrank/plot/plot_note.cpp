#include "dcmrank/plot/plot_note.h"

#include <algorithm>

#include <fmt/format.h>

namespace dcmrank {
namespace {

bool say_the_same(const PlotNote& one, const PlotNote& other) {
  return !one.file.empty() && !other.file.empty() && one.before == other.before &&
         one.after == other.after;
}

std::string listed(const std::vector<std::string>& files) {
  const std::vector<std::string> first(files.begin(), files.end() - 1);
  return first.empty() ? files.back()
                       : fmt::format("{} and {}", fmt::join(first, ", "), files.back());
}

}  // namespace

std::vector<std::string> told_once(const PlotNotes& notes) {
  std::vector<std::string> texts;
  for (auto note = notes.begin(); note != notes.end(); ++note) {
    const auto is_same = [&](const PlotNote& other) { return say_the_same(*note, other); };
    if (note->text().empty() || std::any_of(notes.begin(), note, is_same)) continue;
    std::vector<std::string> files{note->file};
    for (auto later = note + 1; later != notes.end(); ++later) {
      if (is_same(*later)) files.push_back(later->file);
    }
    const bool several = files.size() > 1 && !note->after_several.empty();
    texts.push_back(note->before + listed(files) + (several ? note->after_several : note->after));
  }
  return texts;
}

}  // namespace dcmrank
