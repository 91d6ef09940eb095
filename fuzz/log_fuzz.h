#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/fit/counts_file.h"
#include "dcmrank/fit/statistics.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/source/text_source.h"

namespace dcmrank {

// Counts impressions and writes them in a format.
class Rewriter : public ImpressionSink {
 public:
  explicit Rewriter(const LogFormat& format) : format_(&format) {}
  void add(const Impression& impression) override {
    if (impression.items.size() != impression.clicks.size()) std::abort();
    format_->write(impression, count++, text);
    statistics.add(impression);
    Impression forgetful = impression;
    forgetful.memory = nullptr;
    forgotten.add(forgetful);
    counts.add(forgetful);
  }

  std::uint64_t count = 0;
  std::string text;
  Statistics statistics{Needs{true, true, 100, true, true}};
  Statistics forgotten{Needs{true, true, 100, true, true}};  // the same without remembered lists
  Statistics counts;

 private:
  const LogFormat* format_;
};

/// How a file of the format that begins as this text is read.
inline FileFormat format_of(const LogFormat& format, std::string_view text) {
  if (format.of_table == nullptr) return {format, {}};
  std::vector<std::string_view> lines;
  split_fields(text, '\n', lines);
  return format.of_table(lines, {});
}

/// A log of any bytes is read without harm; what was read, written in the same format, reads back
/// as the same counts, without a fault and whatever the size of the pieces.
inline void fuzz_log(const LogFormat& format, std::string_view bytes) {
  TextSource source(bytes, 1 + bytes.size() / 3);
  Rewriter first(format);
  const LogReport report = read_source(source, format_of(format, bytes), first, false);
  if (report.impressions != first.count) std::abort();
  if (first.count == 0) return;
  const auto text_of = [](const Statistics& s) { return print_counts({s, {}}); };
  if (text_of(first.statistics) != text_of(first.forgotten)) std::abort();
  TextSource whole(bytes);
  Statistics counted;  // several pages at once, and those of known lists together
  const LogReport same = read_source(whole, format_of(format, bytes), counted, false);
  if (same.fingerprint != report.fingerprint) std::abort();
  if (text_of(counted) != text_of(first.counts)) std::abort();
  TextSource again(first.text);
  Rewriter second(format);
  const LogReport clean = read_source(again, format_of(format, first.text), second, false);
  if (clean.first_fault() || clean.clicks != report.clicks) std::abort();
  if (text_of(first.statistics) != text_of(second.statistics)) std::abort();
}

}  // namespace dcmrank
