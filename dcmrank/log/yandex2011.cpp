// Yandex Relevance Prediction Challenge, 2011:
//   SessionID TimePassed Q QueryID RegionID URL1 ... URLn
//   SessionID TimePassed C URLID
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/log/format.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/page/page.h"

namespace dcmrank {
namespace {

class Yandex2011 : public LogParser {
 public:
  Yandex2011(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void line(std::string_view line) override {
    finder_.clear();
    finder_.look(line.data(), 0, line.size());
    marked_line(line, {finder_.places(), finder_.size(), 0});
  }

  void marked_line(std::string_view line, const FieldMarks& tabs) override {
    if (const auto fault = record(line, tabs)) report_->note(*fault, line);
  }

  Separators separators() const override { return {'\t'}; }

  void finish() override { flush(); }

 private:
  enum class State { kNoQuery, kPage, kSkippedQuery };

  std::optional<Skip> record(std::string_view line, const FieldMarks& tabs) {
    if (tabs.size() == 0) return Skip::kTooFewFields;
    const std::string_view session = line.substr(0, tabs[0]);
    if (const Id id(session); id != session_id_) start_session(session);
    if (tabs.size() < 3) return Skip::kTooFewFields;
    const std::string_view time = line.substr(tabs[0] + 1, tabs[1] - tabs[0] - 1);
    const char type = tabs[2] - tabs[1] == 2 ? line[tabs[1] + 1] : '\0';
    if (type == 'Q') {
      flush();
      state_ = State::kSkippedQuery;  // until it proves well-formed
    } else if (type != 'C') {
      return Skip::kUnknownRecord;
    }
    if (!all_digits(time)) return Skip::kNotANumber;
    if (type == 'Q') return show(line, tabs);
    if (tabs.size() > 3) return Skip::kTooManyFields;
    return click(line.substr(tabs[2] + 1));
  }

  void start_session(std::string_view session) {
    flush();
    session_.assign(session);
    session_id_ = Id(session_);
    session_key_ = session_key(session);
    state_ = State::kNoQuery;
  }

  // QueryID RegionID URL1 ... URLn, behind the third tab.
  std::optional<Skip> show(std::string_view line, const FieldMarks& tabs) {
    const std::size_t start = tabs[2] + 1;
    const std::string_view text = page_.start(line.substr(start));
    if (tabs.size() < 5) return Skip::kTooFewFields;
    if (const auto fault = page_.set_query(Id::padded(text.substr(0, tabs[3] - start)))) {
      return fault;
    }
    std::size_t begin = tabs[4] + 1 - start;
    for (std::size_t t = 5; t <= tabs.size(); ++t) {
      const std::size_t end = t < tabs.size() ? tabs[t] - start : text.size();
      if (const auto fault = page_.add_item(Id::padded({text.data() + begin, end - begin}))) {
        return fault;
      }
      begin = end + 1;
    }
    if (const auto fault = page_.finish_list()) return fault;
    state_ = State::kPage;
    return std::nullopt;
  }

  std::optional<Skip> click(std::string_view item) {
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
  Id session_id_;
  std::uint64_t session_key_ = session_key("");
  State state_ = State::kNoQuery;
  Page page_;
  MarkFinder finder_{Separators{'\t'}};
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
