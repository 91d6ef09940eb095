// Yandex Relevance Prediction Challenge, 2011:
//   SessionID TimePassed Q QueryID RegionID URL1 ... URLn
//   SessionID TimePassed C URLID
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/log/fields.h"
#include "dcmrank/log/format.h"
#include "dcmrank/log/page.h"

namespace dcmrank {
namespace {

class Yandex2011 : public LogParser {
 public:
  Yandex2011(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void line(std::string_view line) override {
    if (const auto fault = record(line)) report_->note(*fault, line);
  }

  void finish() override { flush(); }

 private:
  enum class State { kNoQuery, kPage, kSkippedQuery };

  std::optional<Skip> record(std::string_view rest) {
    std::string_view session;
    std::string_view time;
    std::string_view type;
    if (!cut_field(rest, '\t', session)) return Skip::kTooFewFields;
    if (session != session_) start_session(session);
    if (!cut_field(rest, '\t', time) || !cut_field(rest, '\t', type)) return Skip::kTooFewFields;
    const bool query = type == "Q";
    if (query) flush();
    if (query) state_ = State::kSkippedQuery;  // until it proves well-formed
    if (!query && type != "C") return Skip::kUnknownRecord;
    if (!all_digits(time)) return Skip::kNotANumber;
    return query ? show(rest) : click(rest);
  }

  void start_session(std::string_view session) {
    flush();
    session_.assign(session);
    session_key_ = session_key(session);
    state_ = State::kNoQuery;
  }

  std::optional<Skip> show(std::string_view text) {
    split_fields(page_.start(text), '\t', fields_);
    if (fields_.size() < 3) return Skip::kTooFewFields;
    if (const auto fault = page_.set_query(fields_[0])) return fault;
    for (std::size_t f = 2; f < fields_.size(); ++f) {
      if (const auto fault = page_.add_item(fields_[f])) return fault;
    }
    if (const auto fault = page_.finish_list()) return fault;
    state_ = State::kPage;
    return std::nullopt;
  }

  std::optional<Skip> click(std::string_view item) {
    if (item.find('\t') != std::string_view::npos) return Skip::kTooManyFields;
    if (state_ == State::kNoQuery) return Skip::kClickBeforeQuery;
    if (state_ == State::kSkippedQuery) return Skip::kClickOfSkippedQuery;
    return page_.click(item);
  }

  void flush() {
    if (state_ != State::kPage) return;
    state_ = State::kNoQuery;
    ++report_->impressions;
    report_->clicks += page_.clicks();
    sink_->add(page_.impression(session_key_));
  }

  ImpressionSink* sink_;
  LogReport* report_;
  std::string session_;
  std::uint64_t session_key_ = session_key("");
  State state_ = State::kNoQuery;
  Page page_;
  std::vector<std::string_view> fields_;
};

// Sessions and times are numbers, and the third field says what the line is.
bool recognises_yandex2011(LogHead head) {
  std::size_t good = 0;
  std::vector<std::string_view> fields;
  for (const std::string_view line : head) {
    split_fields(line, '\t', fields);
    if (fields.size() == 4 && fields[1] == "M") return false;  // of 2014
    if (fields.size() < 4 || !all_digits(fields[1])) continue;
    if ((fields[2] == "Q" && fields.size() > 5) || (fields[2] == "C" && fields.size() == 4)) ++good;
  }
  return good > head.size() / 2;
}

void write_yandex(const Impression& impression, std::uint64_t session, std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "{}\t0\tQ\t{}\t0", session, impression.query.text);
  for (const Id& item : impression.items) fmt::format_to(end, "\t{}", item.text);
  out += '\n';
  std::size_t time = 0;
  for (std::size_t k = 0; k < impression.items.size(); ++k) {
    if (impression.clicks[k] == 0) continue;
    fmt::format_to(end, "{}\t{}\tC\t{}\n", session, ++time, impression.items[k].text);
  }
}

}  // namespace

const LogFormat kYandex2011{
    "yandex2011",
    "Yandex Relevance Prediction Challenge, 2011",
    true,
    "\t\r\n",
    [](ImpressionSink& sink, LogReport& report) -> std::unique_ptr<LogParser> {
      return std::make_unique<Yandex2011>(sink, report);
    },
    write_yandex,
    recognises_yandex2011};

}  // namespace dcmrank
