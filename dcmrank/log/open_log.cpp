#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/log/csv.h"
#include "dcmrank/log/guarded_parser.h"
#include "dcmrank/log/lines.h"
#include "dcmrank/log/other_files.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/log/rows.h"
#include "dcmrank/page/fields.h"

namespace dcmrank {
namespace {

namespace fs = std::filesystem;

// Room for a header and the longest row.
constexpr std::size_t kHeadBytes = std::size_t{1} << 19U;
static_assert(kHeadBytes > kMaxLine + kMaxLine / 2);

// The beginning of a file as formats see it.
struct OpenedHead {
  FileStart start;
  std::vector<std::string_view> lines;
};

void split_lines(OpenedHead& head) {
  std::string_view text = head.start.text;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !head.start.whole && !head.lines.empty()) return;
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    head.lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::string known_formats_text() {
  return fmt::format("{}", fmt::join(names_of(log_formats(), &LogFormat::name), ", "));
}

// The first format that knows its own.
const LogFormat& sniff_format(const OpenedHead& head) {
  for (const LogFormat* format : log_formats()) {
    if (format->recognises == nullptr) continue;
    if (ask(*format, [&] { return format->recognises(head.lines); })) return *format;
  }
  const std::string_view first = head.lines.front();
  if (first.starts_with('[')) {
    throw InputError(
        "a JSON array; convert it to one object per line: jq -c '.[]' FILE | dcmrank ... -");
  }
  if (is_like_a_table(head.lines)) return kCsv;  // which names the columns
  throw InputError(fmt::format(
      "its format cannot be told from its first line, {}: give --format, one of {}; or "
      "name the columns of a table, as in --columns query=...,items=...,clicks=... or, with "
      "one row per item, query=...,item=...,click=...,position=...",
      quote(first), known_formats_text()));
}

// With columns, or a header with usual ones, tab-separated text is a table.
const LogFormat& chosen_format(const OpenedHead& head, const LogShape& shape) {
  const bool jsonl = kJsonl.recognises(head.lines);
  if (shape.format == nullptr) {
    if (shape.columns.empty()) return sniff_format(head);
    return jsonl ? kJsonl : kCsv;
  }
  if (shape.format == &kTsv && (!shape.columns.empty() || kCsv.recognises(head.lines))) return kCsv;
  if (!shape.columns.empty() && shape.format->of_table == nullptr) {
    throw InputError(
        fmt::format("--columns is for csv, tsv and jsonl, not for {}", shape.format->name));
  }
  return *shape.format;
}

std::string first_field(std::string_view line) {
  std::string_view field;
  return cut_field(line, '\t', field) ? std::string(field) : std::string();
}

FileFormat file_format(const OpenedHead& head, const LogShape& shape) {
  refuse_other_files(head.start.text);
  const Compression within = detect_compression(head.start.text);
  if (head.start.compression != Compression::kNone && within != Compression::kNone) {
    throw InputError(fmt::format("compressed twice ({} in {}): unpack it once",
                                 compression_name(within),
                                 compression_name(head.start.compression)));
  }
  if (head.lines.empty()) {  // nothing to look at, or not yet
    FileFormat file{shape.told() ? *shape.format : kTsv, {}};
    if (file.format.sessions) file.key = first_field;
    return file;
  }
  const LogFormat& format = chosen_format(head, shape);
  if (format.of_table != nullptr) {
    return ask(format, [&] { return format.of_table(head.lines, shape.columns); });
  }
  FileFormat file{format, {}};
  if (format.sessions) file.key = first_field;
  return file;
}

// Where a log can be cut: rows of the same key belong together.
class Cuts {
 public:
  Cuts(const std::string& path, const FileFormat& format, std::uint64_t begin, bool at_start)
      : begin_(begin),
        format_(&format),
        source_(open_source({path, begin, UINT64_MAX}, {})),
        lines_(*source_),
        rows_(lines_, format, at_start) {
    rows_.on_lost([this](std::string_view /*line*/) { torn_ = true; });
  }
  ~Cuts() = default;
  Cuts(const Cuts&) = delete;
  Cuts& operator=(const Cuts&) = delete;
  Cuts(Cuts&&) = delete;
  Cuts& operator=(Cuts&&) = delete;

  // The rest of a line that began before; whether it has no quote.
  bool skip_line() {
    std::string_view line;
    lines_.next(line);
    return line.find('"') == std::string_view::npos;
  }

  // The first place at or after `from`. Where several rows make a page, it is between two that can
  // be read: to which page one belongs that cannot, only who sees those around it knows.
  std::uint64_t after(std::uint64_t from) {
    std::string_view row;
    while (begin_ + rows_.consumed() < from) {
      if (!rows_.next(row, ignored_)) return begin_ + rows_.consumed();
    }
    if (!format_->key) return begin_ + rows_.consumed();
    std::string key;
    for (;;) {
      const std::uint64_t start = begin_ + rows_.consumed();
      torn_ = false;
      if (!rows_.next(row, ignored_)) return begin_ + rows_.consumed();
      std::string next = format_->key(row);
      if (!torn_ && !key.empty() && !next.empty() && next != key) return start;
      key = std::move(next);
    }
  }

 private:
  std::uint64_t begin_;
  const FileFormat* format_;
  std::unique_ptr<Source> source_;
  Lines lines_;
  Rows rows_;
  LogReport ignored_;
  bool torn_ = false;  // a line was left out before the row
};

// Finds the places at which one file is cut.
class FileCuts {
 public:
  FileCuts(std::string path, const FileFormat& format) : path_(std::move(path)), format_(&format) {}

  // A quote may span lines: behind the first one, only who reads from the start knows where rows
  // begin.
  std::uint64_t after(std::uint64_t from) {
    if (!from_start_ && (!format_->goes_on || !quotes_before(from))) {
      Cuts cuts(path_, *format_, from, false);
      if (cuts.skip_line() || !format_->goes_on) return cuts.after(from);
    }
    if (!from_start_) from_start_.emplace(path_, *format_, 0, true);
    return from_start_->after(from);
  }

 private:
  bool quotes_before(std::uint64_t end) {
    const auto source = open_source({path_, searched_, end}, {});
    std::vector<char> buffer(std::size_t{1} << 18U);
    for (;;) {
      const std::size_t got = source->read(buffer);
      if (got == 0) break;
      if (std::memchr(buffer.data(), '"', got) != nullptr) return true;
    }
    searched_ = end;
    return false;
  }

  std::string path_;
  const FileFormat* format_;
  std::optional<Cuts> from_start_;
  std::uint64_t searched_ = 0;  // up to there, no quote was found
};

// Parts become smaller towards the end, so that threads which take them in turn end at about the
// same time.
std::uint64_t next_part(std::uint64_t left, std::uint64_t part_bytes) {
  const std::uint64_t least = std::max<std::uint64_t>(1, part_bytes / 4);
  return std::clamp(left / 4, least, part_bytes);
}

void add_parts(const std::string& path, const std::shared_ptr<const FileFormat>& format,
               std::uint64_t size, std::uint64_t part_bytes, std::vector<LogPart>& parts) {
  std::uint64_t begin = 0;
  FileCuts cuts(path, *format);
  for (;;) {
    const std::uint64_t part = next_part(size - begin, part_bytes);
    if (size - begin <= part + part / 2) break;
    const std::uint64_t end = cuts.after(begin + part);
    if (end >= size) break;
    parts.push_back({{path, begin, end}, format});
    begin = end;
  }
  parts.push_back({{path, begin, UINT64_MAX}, format});
}

std::string shape_text(const FileFormat& format, Compression compression) {
  std::string text = format.format.name;
  if (!format.description.empty()) text += fmt::format(" ({})", format.description);
  if (compression != Compression::kNone) text += fmt::format(", {}", compression_name(compression));
  return text;
}

std::string doubt_of(const FileFormat& format, const LogShape& shape) {
  if (shape.format == &kTsv && format.format.name == kCsv.name &&
      !format.description.starts_with("tab")) {
    return "--format tsv was asked for, but nothing in it is separated by tabs: read as csv";
  }
  return format.doubt;
}

}  // namespace

std::string shown_path(const std::string& path) { return path == "-" ? "stdin" : path; }

void refuse_changed(const std::string& path, const ChangedFile& change) {
  throw std::runtime_error(
      fmt::format("{}: {}: its bytes were changed, so what it says may be wrong", shown_path(path),
                  change.what()));
}

Log open_log(const std::vector<std::string>& paths, const LogShape& shape,
             std::uint64_t part_bytes) {
  Log log{{}, 0, true};
  for (const std::string& path : paths) {
    FilePart file{path};
    const bool regular = path != "-" && fs::is_regular_file(path);
    OpenedHead head;
    // A pipe can be opened only once, and who writes into it need not be there yet. What cannot be
    // read is refused at once.
    const bool unreadable = path != "-" && (fs::is_directory(path) || !fs::exists(path));
    if (regular || !shape.told() || unreadable) {
      begin_file(file);
      try {
        head.start = start_of(file, kHeadBytes, shape.stop);
      } catch (const ChangedFile& change) {
        refuse_changed(path, change);
      }
    }
    split_lines(head);
    std::shared_ptr<const FileFormat> format;
    try {
      format = std::make_shared<const FileFormat>(file_format(head, shape));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", shown_path(path), error.what()));
    }
    const bool told = shape.format != nullptr && format->format.of_table == nullptr;
    if (!head.lines.empty() && !told) {
      log.found.push_back({shown_path(path), shape_text(*format, head.start.compression),
                           doubt_of(*format, shape)});
    }
    const std::uint64_t size = regular ? fs::file_size(path) : 0;
    log.bytes += size;
    log.can_read_again = log.can_read_again && regular;
    if (regular && size > part_bytes && head.start.compression == Compression::kNone) {
      add_parts(path, format, size, part_bytes, log.files);
    } else {
      log.files.push_back({file, format});
    }
  }
  return log;
}

Log open_log(const std::vector<std::string>& paths, const LogFormat& format,
             std::uint64_t part_bytes) {
  return open_log(paths, LogShape{&format, {}}, part_bytes);
}

}  // namespace dcmrank
