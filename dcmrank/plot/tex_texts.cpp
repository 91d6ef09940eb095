#include "dcmrank/plot/tex_texts.h"

#include "dcmrank/base/latex.h"

namespace dcmrank {
namespace {

bool is_tex(const std::filesystem::path& file) { return file.extension() == ".tex"; }

void escape(std::string& text) { text = latex(text); }

}  // namespace

HeatMap for_file(HeatMap map, const std::filesystem::path& file) {
  if (!is_tex(file)) return map;
  escape(map.title);
  escape(map.mark_label);
  for (std::string& column : map.columns) escape(column);
  for (HeatClass& one : map.classes) escape(one.label);
  for (HeatGroup& group : map.groups) {
    escape(group.label);
    for (HeatRow& row : group.rows) escape(row.label);
  }
  return map;
}

}  // namespace dcmrank
