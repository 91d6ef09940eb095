// JSON lines: one object per page, or an object an item.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/log/format.h"
#include "dcmrank/log/table_parser.h"
#include "dcmrank/table/json_rows.h"
#include "dcmrank/table/list_cell.h"

namespace dcmrank {
namespace {

constexpr std::size_t kMostSampleObjects = 1000;

std::vector<std::string_view> objects_of(LogHead head) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : head) {
    if (trimmed(line).starts_with('{') && lines.size() < kMostSampleObjects) lines.push_back(line);
  }
  return lines;
}

bool recognises_jsonl(LogHead head) {
  for (const std::string_view line : head) {
    if (!trimmed(line).empty()) return trimmed(line).starts_with('{');
  }
  return false;
}

FileFormat jsonl_of_table(LogHead head, const Columns& named) {
  const auto lines = objects_of(head);
  JsonShape shape;
  shape.table = paths_of(lines);
  if (shape.table.empty()) {
    throw InputError(
        "none of its first lines is a JSON object; one object per line is needed: jq -c . FILE | "
        "dcmrank ... - (or of an array jq -c '.[]')");
  }
  shape.places = find_columns(shape.table, named);
  std::vector<std::unique_ptr<JsonRows>> readers;  // whose texts the rows refer to
  std::vector<TableRow> rows;
  for (const std::string_view line : lines) {
    if (rows.size() == 100) break;
    readers.push_back(std::make_unique<JsonRows>(shape));
    TableRow row;
    if (!readers.back()->read(line, row)) rows.push_back(std::move(row));
  }
  shape.layout = sniff_layout(shape.table, shape.places, named, rows);
  shape.padded = true;
  FileFormat file{kJsonl, describe(shape.layout, shape.places, shape.table)};
  file.doubt = shape.layout.doubt;
  file.format.parser = [shape](ImpressionSink& sink, LogReport& report) {
    return std::make_unique<TableParser<JsonRows>>(sink, report, shape);
  };
  if (shape.layout.row_an_item) {
    file.key = [reader = std::make_shared<JsonRows>(shape),
                layout = shape.layout](std::string_view text) {
      TableRow row;
      if (reader->read(text, row) || !tells_page(row, layout)) return std::string();
      return fmt::format("{}\n{}\n{}", row.query, row.session, row.page);
    };
  }
  return file;
}

void write_jsonl(const Impression& impression, std::uint64_t session, std::string& out) {
  nlohmann::ordered_json page{{"query", impression.query.text}};
  for (std::size_t k = 0; k < impression.items.size(); ++k) {
    page["items"].push_back(impression.items[k].text);
    page["clicks"].push_back(impression.clicks[k] != 0 ? 1 : 0);
  }
  page["session"] = session;
  out += page.dump();
  out += '\n';
}

}  // namespace

const LogFormat kJsonl{"jsonl",
                       "JSON lines: one object per page, or per item; see --columns",
                       false,
                       {},
                       {},
                       write_jsonl,
                       recognises_jsonl,
                       jsonl_of_table};

}  // namespace dcmrank
