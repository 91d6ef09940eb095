#include "dcmrank/picture/pdf_date.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

namespace dcmrank::gnuplot {
namespace {

// Of the same length, since a PDF knows where its parts are. False where there is no date.
bool overwrite_plain_date(std::string& bytes) {
  constexpr std::string_view kField = "/CreationDate (D:";
  constexpr std::string_view kNever = "20000101000000";
  const std::size_t at = bytes.find(kField);
  if (at == std::string::npos || bytes.size() - at < kField.size() + kNever.size()) return false;
  const std::size_t digits = at + kField.size();
  for (std::size_t i = 0; i < kNever.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(bytes[digits + i])) == 0) return false;
  }
  bytes.replace(digits, kNever.size(), kNever);
  return true;
}

// An object with a stream: "11 0 obj\n<< /Type /ObjStm\n … >>\nstream\n … \nendstream\nendobj\n".
struct StreamObject {
  std::size_t begin = 0;  // of its number
  std::string_view name;  // "11 0 obj\n"
  std::string_view dictionary;
  std::string content;  // decompressed
  std::size_t end = 0;
};

struct Inflated {
  std::string content;
  std::size_t taken = 0;
};

std::optional<Inflated> inflated(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  // zlib does not write there; its type says so only with a macro that others may not have set.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  Inflated result;
  int state = Z_OK;
  while (state == Z_OK) {
    std::array<char, 4096> part{};
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    state = inflate(&stream, Z_NO_FLUSH);
    result.content.append(part.data(), part.size() - stream.avail_out);
  }
  result.taken = stream.total_in;
  inflateEnd(&stream);
  return state == Z_STREAM_END ? std::optional(std::move(result)) : std::nullopt;
}

// The last object of this type.
std::optional<StreamObject> find_object(std::string_view pdf, std::string_view type) {
  constexpr std::string_view kStream = ">>\nstream\n";
  constexpr std::string_view kEnd = "\nendstream\nendobj\n";
  const std::size_t begin = pdf.rfind(fmt::format(" 0 obj\n<< /Type /{}\n", type));
  if (begin == std::string_view::npos) return std::nullopt;
  StreamObject object;
  object.begin = pdf.rfind('\n', begin) + 1;
  const std::size_t dictionary = pdf.find("<<", begin) + 2;
  const std::size_t stream = pdf.find(kStream, dictionary);
  if (stream == std::string_view::npos) return std::nullopt;
  object.name = pdf.substr(object.begin, dictionary - 2 - object.begin);
  object.dictionary = pdf.substr(dictionary, stream - dictionary);
  auto content = inflated(pdf.substr(stream + kStream.size()));
  if (!content) return std::nullopt;
  object.content = std::move(content->content);
  object.end = stream + kStream.size() + content->taken;
  if (pdf.substr(object.end, kEnd.size()) != kEnd) return std::nullopt;
  object.end += kEnd.size();
  return object;
}

// Its lines, except those of how its stream is written.
std::string plain_dictionary(std::string_view dictionary) {
  std::string lines;
  while (!dictionary.empty()) {
    const std::string_view line = dictionary.substr(0, dictionary.find('\n') + 1);
    if (line.empty()) break;
    dictionary.remove_prefix(line.size());
    const auto has = [&](std::string_view field) {
      return line.find(field) != std::string_view::npos;
    };
    if (!has("/Length ") && !has("/Filter ") && !has("/W [")) lines += line;
  }
  return lines;
}

std::string printed(const StreamObject& object, std::string_view more) {
  return fmt::format("{}<<{}   /Length {}\n{}>>\nstream\n{}\nendstream\nendobj\n", object.name,
                     plain_dictionary(object.dictionary), object.content.size(), more,
                     object.content);
}

std::size_t number(std::string_view bytes) {
  std::size_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

struct Place {
  std::size_t before = 0;
  std::size_t now = 0;
};

// The table with entries of 1, 4 and 2 bytes (type, place, generation). Besides those that are
// told, no object may stand after `last`.
std::optional<std::string> moved_places(const StreamObject& table, std::size_t last,
                                        const std::array<Place, 2>& moved) {
  constexpr std::string_view kWidths = "/W [1 ";
  const std::size_t at = table.dictionary.find(kWidths);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view widths = table.dictionary.substr(at + kWidths.size());
  if (!widths.starts_with('2') && !widths.starts_with('3') && !widths.starts_with('4')) {
    return std::nullopt;
  }
  const auto width = static_cast<std::size_t>(widths[0] - '0');
  if (!widths.substr(1).starts_with(" 2]") || table.content.size() % (width + 3) != 0) {
    return std::nullopt;
  }
  std::string written;
  for (std::string_view left = table.content; !left.empty(); left.remove_prefix(width + 3)) {
    std::size_t place = number(left.substr(1, width));
    if (left[0] == 1 && place > last) {
      const auto* known =
          std::find_if(moved.begin(), moved.end(), [&](Place p) { return p.before == place; });
      if (known == moved.end()) return std::nullopt;
      place = known->now;
    }
    written += left[0];
    for (unsigned shift = 32; shift > 0; shift -= 8) {
      written += static_cast<char>(place >> (shift - 8) & 255);
    }
    written += left.substr(1 + width, 2);
  }
  return written;
}

// "25 0 obj\n   275\nendobj\n", with another value.
std::optional<std::string> length_object(std::string_view object, std::size_t value) {
  constexpr std::string_view kName = " 0 obj\n   ";
  const std::size_t name = object.find(kName);
  const std::size_t digits = name + kName.size();
  if (name == std::string_view::npos ||
      object.substr(std::min(object.find('\n', digits), object.size())) != "\nendobj\n") {
    return std::nullopt;
  }
  return fmt::format("{}{}\nendobj\n", object.substr(0, digits), value);
}

}  // namespace

void overwrite_pdf_date(std::string& bytes) {
  if (overwrite_plain_date(bytes)) return;
  const std::string_view pdf = bytes;
  auto packed = find_object(pdf, "ObjStm");
  auto table = find_object(pdf, "XRef");
  if (!packed || !table || table->begin < packed->end) return;
  if (!overwrite_plain_date(packed->content)) return;
  const auto length =
      length_object(pdf.substr(packed->end, table->begin - packed->end), packed->content.size());
  if (!length) return;
  std::string written = std::string(pdf.substr(0, packed->begin)) + printed(*packed, "");
  const Place of_length{packed->end, written.size()};
  written += *length;
  const Place of_table{table->begin, written.size()};
  auto places = moved_places(*table, packed->begin, {of_length, of_table});
  if (!places) return;
  table->content = *std::move(places);
  written += printed(*table, "   /W [1 4 2]\n");
  written += fmt::format("startxref\n{}\n%%EOF\n", of_table.now);
  bytes = std::move(written);
}

}  // namespace dcmrank::gnuplot
