#include "dcmrank/plot/tex_texts.h"

#include <utility>

#include "dcmrank/base/latex.h"

namespace dcmrank {
namespace {

bool is_tex(const std::filesystem::path& file) { return file.extension() == ".tex"; }

void escape(std::string& text) { text = latex(text); }

}  // namespace

Figure for_file(Figure figure, const std::filesystem::path& file) {
  if (!is_tex(file)) return figure;
  for (std::string* text : {&figure.title, &figure.x_label, &figure.y_label, &figure.note}) {
    escape(*text);
  }
  for (Series& series : figure.series) escape(series.label);
  return figure;
}

Panels for_file(Panels panels, const std::filesystem::path& file) {
  if (!is_tex(file)) return panels;
  escape(panels.title);
  for (Figure& figure : panels.figures) figure = for_file(std::move(figure), file);
  return panels;
}

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
