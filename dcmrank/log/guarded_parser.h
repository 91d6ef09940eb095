#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/log/format.h"

namespace dcmrank {

/// "log format 'marks'".
std::string who(const LogFormat& format);

/// "log format 'marks': MESSAGE".
std::string said_of(const LogFormat& format, std::string_view message);

/// What a parser threw, and at which line of what it was given, from 1; 0: before the first.
class ParserError : public InputError {
 public:
  ParserError(const LogFormat& format, std::uint64_t line, std::string_view message);

  std::uint64_t line() const { return line_; }
  /// The same without the line.
  const std::string& said() const { return said_; }

 private:
  std::uint64_t line_;
  std::string said_;
};

/// Hands impressions on, and adds them to the fingerprint of the log.
class Fingerprinting : public ImpressionSink {
 public:
  Fingerprinting(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void add(const Impression& impression) override {
    report_->fingerprint += hash_of(impression);
    hand_on([&] { sink_->add(impression); });
  }
  bool takes_repeats() const override { return sink_->takes_repeats(); }
  void add_repeated(const Impression& impression, std::uint32_t times) override {
    report_->fingerprint += times * hash_of(impression);
    hand_on([&] { sink_->add_repeated(impression, times); });
  }
  void add_several(std::span<const Impression> impressions) override {
    report_->fingerprint += sum_of_hashes(impressions);
    hand_on([&] { sink_->add_several(impressions); });
  }

  /// Whether what flies by was thrown by the sink behind it.
  bool threw() const { return threw_; }

 private:
  template <class Call>
  void hand_on(const Call& call) {
    try {
      call();
    } catch (...) {
      threw_ = true;
      throw;
    }
  }

  ImpressionSink* sink_;
  LogReport* report_;
  bool threw_ = false;
};

/// Checks and counts what a parser of somebody else hands over. Throws std::logic_error where it is
/// no impression.
class CheckedPages : public ImpressionSink {
 public:
  explicit CheckedPages(ImpressionSink& sink) : sink_(&sink) {}

  void add(const Impression& impression) override {
    check(impression, 1);
    sink_->add(impression);
  }
  bool takes_repeats() const override { return sink_->takes_repeats(); }
  void add_repeated(const Impression& impression, std::uint32_t times) override {
    check(impression, times);
    sink_->add_repeated(impression, times);
  }
  void add_several(std::span<const Impression> impressions) override {
    for (const Impression& impression : impressions) check(impression, 1);
    sink_->add_several(impressions);
  }

  std::uint64_t impressions() const { return impressions_; }
  std::uint64_t clicks() const { return clicks_; }

 private:
  void check(const Impression& impression, std::uint32_t times);

  ImpressionSink* sink_;
  std::uint64_t impressions_ = 0;
  std::uint64_t clicks_ = 0;
};

/// The parser of a format, which may be somebody else's. What it throws, whatever its type, is a
/// ParserError; what the sink throws, an interruption, and that memory ran out stay what they are.
class GuardedParser {
 public:
  GuardedParser(const LogFormat& format, ImpressionSink& sink, LogReport& report);

  void line(std::string_view line) {
    guard([&] { parser_->line(line); });
  }
  std::string_view splits_at() const { return parser_->splits_at(); }
  void split_line(std::string_view line, const Separators& separators) {
    guard([&] { parser_->split_line(line, separators); });
  }
  void lost(std::string_view line) {
    guard([&] { parser_->lost(line); });
  }
  void finish() {
    guard([&] { parser_->finish(); });
    note_counts();
  }
  void cut() {
    guard([&] { parser_->cut(); });
    note_counts();
  }

 private:
  template <class Call>
  void guard(const Call& call) {
    try {
      call();
    } catch (const std::exception& error) {
      blame(&error);
    } catch (...) {
      blame(nullptr);
    }
  }
  [[noreturn]] void blame(const std::exception* error) const;
  void note_counts();

  const LogFormat* format_;
  LogReport* report_;
  Fingerprinting sink_;
  std::optional<CheckedPages> checked_;  // unless the format is built in
  std::unique_ptr<LogParser> parser_;
};

/// What a function of a format other than its parser throws is told with the format's name.
template <class Call>
auto ask(const LogFormat& format, const Call& call) {
  try {
    return call();
  } catch (const InputError&) {
    throw;
  } catch (...) {
    rethrow_as_input_error(who(format));
  }
}

}  // namespace dcmrank
