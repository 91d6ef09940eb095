#include "dcmrank/log/other_files.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

// Files that are no text, and what to do about them.
struct ForeignFile {
  std::string_view magic;
  const char* advice;
};
constexpr std::array<ForeignFile, 15> kForeignFiles{{
    {"PAR1",
     "a Parquet file, which is not supported: convert it to JSON lines, as with duckdb -c \"COPY "
     "(FROM 'log.parquet') TO 'log.jsonl'\", or fit its data frame in Python"},
    {"ARROW1",
     "an Arrow file, which is not supported: convert it to JSON lines, or fit its data frame in "
     "Python"},
    {"Obj\x01", "an Avro file, which is not supported: convert it to JSON lines"},
    {"ORC", "an ORC file, which is not supported: convert it to JSON lines"},
    {"PK\x03\x04",
     "a ZIP archive (or a spreadsheet), which is not supported: unpack it, or save it as CSV"},
    {"PK\x05\x06", "an empty ZIP archive"},
    {std::string_view("\x5d\0\0", 3),
     "compressed by lzma, which is not supported: xz -dc --format=lzma FILE | dcmrank ... -"},
    {"\x1f\x9d", "compressed by compress, which is not supported: zcat FILE | dcmrank ... -"},
    {"7z\xbc\xaf", "a 7z archive, which is not supported: unpack it"},
    {"\x04\x22\x4d\x18", "compressed by lz4, which is not supported: lz4 -dc FILE | dcmrank ... -"},
    {"SQLite format 3", "an SQLite database, which is not supported: export a table as CSV"},
    {std::string_view("\xff\xfe\0\0", 4),
     "UTF-32, which is not supported: iconv -f UTF-32 -t UTF-8 FILE | dcmrank ... -"},
    {"\xff\xfe", "UTF-16, which is not supported: iconv -f UTF-16 -t UTF-8 FILE | dcmrank ... -"},
    {"\xfe\xff", "UTF-16, which is not supported: iconv -f UTF-16 -t UTF-8 FILE | dcmrank ... -"},
    {"\x89HDF", "an HDF5 file, which is not supported: convert it to JSON lines"},
}};

// Control characters but those that lines and fields end with.
bool is_no_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < ' ' && (byte < '\t' || byte > '\r');
}

// Magic numbers are texts, too: what follows must be none.
void refuse_foreign(std::string_view text) {
  const bool binary = std::any_of(text.begin(), text.end(), is_no_text) ||
                      (text.starts_with("PAR1") && text.size() > 4 && text.ends_with("PAR1"));
  for (const ForeignFile& foreign : kForeignFiles) {
    const bool strange = binary || static_cast<unsigned char>(foreign.magic[0]) >= 0x80;
    if (strange && text.starts_with(foreign.magic)) throw InputError(foreign.advice);
  }
}

// "dcmrank.model" of a file that this program wrote for others of its commands; or nothing.
std::string_view own_format(std::string_view text) {
  constexpr std::string_view kCompact = "dcmrankM";
  if (text.starts_with(kCompact)) return "dcmrank.model";
  constexpr std::string_view kName = "dcmrank.";
  constexpr std::string_view kMember = "\"format\"";
  const bool json = text.starts_with('{');
  if (json) {
    text.remove_prefix(1);
    const auto skip = [&](std::string_view what) {
      text.remove_prefix(std::min(text.find_first_not_of(what), text.size()));
    };
    skip(" \t\r\n");
    if (!text.starts_with(kMember)) return {};
    text.remove_prefix(kMember.size());
    skip(" \t\r\n:\"");
  }
  if (!text.starts_with(kName)) return {};
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-", kName.size());
  return text.substr(0, end);
}

void refuse_own(std::string_view text) {
  const std::string_view name = own_format(text);
  if (name.empty()) return;
  if (name == "dcmrank.counts") {
    throw InputError("this is a counts file (dcmrank.counts), not a log: 'fit --counts' takes it");
  }
  throw InputError(fmt::format("this is a {} file ({}), not a log",
                               name == "dcmrank.model" ? "model" : "result", name));
}

// Lines as programs of old Macs, and some spreadsheets, write them.
void refuse_returns_alone(std::string_view text) {
  constexpr std::ptrdiff_t kSeveral = 2;
  if (text.find('\n') != std::string_view::npos) return;
  if (std::count(text.begin(), text.end(), '\r') < kSeveral) return;
  throw InputError(
      "its lines end in carriage returns alone, which is not supported: "
      "tr '\\r' '\\n' < FILE | dcmrank ... -");
}

}  // namespace

void refuse_other_files(std::string_view beginning) {
  refuse_foreign(beginning);
  refuse_returns_alone(beginning);
  refuse_own(beginning);
}

}  // namespace dcmrank
