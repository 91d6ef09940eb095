#include "dcmrank/table/json_rows.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "dcmrank/base/utf8.h"
#include "dcmrank/page/fields.h"

namespace dcmrank {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::size_t kDeepest = 4;
constexpr std::size_t kMostPaths = 1000;

// The text of a value that is one; an empty one for null.
bool text_of(element value, std::string_view& text, std::deque<std::string>& kept) {
  switch (value.type()) {
    case element_type::STRING:
      text = value.get_string().value_unsafe();
      return true;
    case element_type::INT64:
      text = kept.emplace_back(fmt::format("{}", value.get_int64().value_unsafe()));
      return true;
    case element_type::UINT64:
      text = kept.emplace_back(fmt::format("{}", value.get_uint64().value_unsafe()));
      return true;
    case element_type::DOUBLE:
      text = kept.emplace_back(fmt::format("{}", value.get_double().value_unsafe()));
      return true;
    case element_type::BOOL:
      text = value.get_bool().value_unsafe() ? "true" : "false";
      return true;
    case element_type::NULL_VALUE:
      text = {};
      return true;
    default:
      return false;
  }
}

// Integers of more than 64 bits are ids all the same: as texts they keep every digit.
std::string with_long_integers_quoted(std::string_view line) {
  constexpr std::size_t kShortest = 19;  // digits
  std::string result;
  bool in_text = false;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    const bool number = !in_text && (c == '-' || (c >= '0' && c <= '9'));
    if (!number) {
      const std::size_t n = in_text && c == '\\' && at + 1 < line.size() ? 2 : 1;
      if (c == '"') in_text = !in_text;
      result += line.substr(at, n);
      at += n;
      continue;
    }
    const std::string_view word =
        line.substr(at, line.find_first_not_of("+-.0123456789eE", at) - at);
    const std::string_view digits = word.substr(c == '-' ? 1 : 0);
    const bool quoted = digits.size() >= kShortest && digits[0] != '0' &&
                        digits.find_first_not_of("0123456789") == std::string_view::npos;
    result += quoted ? fmt::format("\"{}\"", word) : std::string(word);
    at += word.size();
  }
  return result;
}

// Whether a number was refused; later versions of simdjson tell apart those that are only too long.
template <class Error>
bool is_about_a_number(Error error) {
  if constexpr (requires { Error::BIGINT_ERROR; }) {
    if (error == Error::BIGINT_ERROR) return true;
  }
  return error == Error::NUMBER_ERROR;
}

// Reads an object; the parser keeps what it needs of the line.
bool parse_line(simdjson::dom::parser& parser, std::string_view line, bool copies,
                element& object) {
  const auto error = parser.parse(line.data(), line.size(), copies).get(object);
  if (is_about_a_number(error)) {
    const std::string quoted = with_long_integers_quoted(line);
    return parser.parse(quoted.data(), quoted.size(), true).get(object) == 0;
  }
  return error == 0;
}

// Collects the paths of values in the order of their depth.
class PathCollector {
 public:
  void add(element value, const std::string& path, std::size_t depth, bool list) {
    if (value.type() == element_type::OBJECT) {
      if (depth == kDeepest) return;
      const simdjson::dom::object object = value.get_object().value_unsafe();
      for (const auto field : object) {
        add(field.value,
            path.empty() ? std::string(field.key) : fmt::format("{}.{}", path, field.key),
            depth + 1, list);
      }
    } else if (value.type() == element_type::ARRAY) {
      add_array(value.get_array().value_unsafe(), path, depth, list);
    } else if (found_.size() < kMostPaths && seen_.insert({path, list}).second) {
      found_.emplace_back(depth, TableColumn{path, list});
    }
  }

  std::vector<TableColumn> columns() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<TableColumn> columns;
    for (auto& at_depth : found_) {
      TableColumn& column = at_depth.second;
      const auto same = std::find_if(columns.begin(), columns.end(), [&](const TableColumn& known) {
        return known.name == column.name;
      });
      if (same == columns.end()) {
        columns.push_back(std::move(column));
      } else {
        same->list = same->list || column.list;
      }
    }
    return columns;
  }

 private:
  void add_array(simdjson::dom::array array, const std::string& path, std::size_t depth,
                 bool list) {
    if (list) return;  // of lists
    bool empty = true;
    for (const element entry : array) {
      empty = false;
      add(entry, entry.type() == element_type::OBJECT ? path + "[]" : path, depth, true);
    }
    if (empty && found_.size() < kMostPaths && seen_.insert({path, true}).second) {
      found_.emplace_back(depth, TableColumn{path, true});
    }
  }

  std::set<std::pair<std::string, bool>> seen_;
  std::vector<std::pair<std::size_t, TableColumn>> found_;
};

}  // namespace

JsonPath::JsonPath(std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    std::string_view key = text.substr(begin, end - begin);
    const bool each = key.ends_with("[]");
    if (each) key.remove_suffix(2);
    steps_.push_back({std::string(key), each});
    begin = end + 1;
  }
}

bool JsonPath::find(element object, std::vector<std::string_view>& texts, bool list,
                    std::deque<std::string>& kept) const {
  return find(object, 0, texts, list, kept);
}

bool JsonPath::find(element value, std::size_t step, std::vector<std::string_view>& texts,
                    bool list, std::deque<std::string>& kept) const {
  if (step == steps_.size()) {
    if (list && value.type() == element_type::ARRAY) {
      bool good = true;
      const simdjson::dom::array array = value.get_array().value_unsafe();
      for (const element entry : array) {
        good = good && text_of(entry, texts.emplace_back(), kept);
      }
      return good;
    }
    std::string_view text;
    if (!text_of(value, text, kept)) return false;
    if (!list || !value.is_null()) texts.push_back(text);
    return true;
  }
  element next;
  if (value.type() != element_type::OBJECT || value.at_key(steps_[step].key).get(next) != 0) {
    return true;  // nothing there
  }
  if (!steps_[step].each) return find(next, step + 1, texts, list, kept);
  if (next.is_null()) return true;
  if (next.type() != element_type::ARRAY) return false;
  const simdjson::dom::array array = next.get_array().value_unsafe();
  for (const element entry : array) {
    const std::size_t before = texts.size();
    if (!find(entry, step + 1, texts, false, kept)) return false;
    if (texts.size() == before) texts.emplace_back();
  }
  return true;
}

std::vector<TableColumn> paths_of(const std::vector<std::string_view>& lines) {
  simdjson::dom::parser parser;
  PathCollector paths;
  for (const std::string_view line : lines) {
    element object;
    if (parse_line(parser, line, true, object)) paths.add(object, "", 0, false);
  }
  return paths.columns();
}

namespace {

// As text that JSON may be written in.
std::string with_marks_for_strange_bytes(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t length = character_at(line, i);
    text += length == 0 ? "?" : line.substr(i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return text;
}

}  // namespace

static_assert(simdjson::SIMDJSON_PADDING <= kPadding);

JsonRows::JsonRows(const JsonShape& shape) : copies_(!shape.padded) {
  for (std::size_t r = 0; r < kRoles; ++r) {
    for (const std::size_t place : shape.places.of[r]) {
      paths_[r].emplace_back(shape.table[place].name);
    }
  }
}

bool JsonRows::read_one(element object, Role role, std::string_view& text) {
  text = {};
  one_.clear();
  for (const JsonPath& path : paths_[static_cast<std::size_t>(role)]) {
    if (!path.find(object, one_, false, kept_)) return false;
  }
  if (!one_.empty()) text = one_.front();
  return one_.size() <= 1;
}

bool JsonRows::read_all(element object, Role role, std::vector<std::string_view>& texts) {
  texts.clear();
  const auto& paths = paths_[static_cast<std::size_t>(role)];
  for (const JsonPath& path : paths) {
    if (!path.find(object, texts, paths.size() == 1, kept_)) return false;
  }
  return true;
}

std::optional<Skip> JsonRows::read(std::string_view line, TableRow& row) {
  if (!kept_.empty()) kept_.clear();
  row.clear();
  element object;
  bool parsed = parse_line(parser_, line, copies_, object);
  if (!parsed && !is_utf8(line)) {  // it is lost, but may tell its page
    parsed =
        parse_line(parser_, kept_.emplace_back(with_marks_for_strange_bytes(line)), true, object);
  }
  if (!parsed || !object.is_object()) return Skip::kNotJson;
  bool good = true;
  for (const auto& [role, text] : {std::pair{Role::kQuery, &row.query},
                                   {Role::kPosition, &row.position},
                                   {Role::kSession, &row.session},
                                   {Role::kPage, &row.page}}) {
    const bool one = read_one(object, role, *text);
    if (!one) *text = {};
    good = good && one;
  }
  good = read_all(object, Role::kItems, row.items) && good;
  good = read_all(object, Role::kClicks, row.clicks) && good;
  if (!good) return Skip::kUnknownRecord;
  const auto has_nul = [](std::string_view id) { return id.find('\0') != std::string_view::npos; };
  if (has_nul(row.query) || std::any_of(row.items.begin(), row.items.end(), has_nul)) {
    return Skip::kNulByte;
  }
  return std::nullopt;
}

}  // namespace dcmrank
