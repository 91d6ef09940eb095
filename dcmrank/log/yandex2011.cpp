// Yandex Relevance Prediction Challenge, 2011:
//   SessionID TimePassed Q QueryID RegionID URL1 ... URLn
//   SessionID TimePassed C URLID
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/log/format.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/page/known_pages.h"

namespace dcmrank {
namespace {

// The first three tabs of a line.
struct FirstTabs {
  std::size_t count = 0;
  std::array<std::size_t, 3> at{};

  FirstTabs(std::size_t size, const Separators& tabs) {
    std::uint64_t bits = tabs.bits(0, 0);
    for (; bits != 0 && count < 3; bits &= bits - 1) {
      at[count++] = static_cast<std::size_t>(std::countr_zero(bits));
    }
    for (std::size_t from = 64; count < 3 && from < size; ++from) {
      from = tabs.next(0, from);
      if (from < size) at[count++] = from;
    }
  }
};

class Yandex2011 : public LogParser {
 public:
  Yandex2011(ImpressionSink& sink, LogReport& report) : report_(&report), pages_(&sink) {}

  void line(std::string_view line) override {
    split_line(line, MarkedLine(line, splits_at()).separators());
  }
  std::string_view splits_at() const override { return "\t"; }
  void split_line(std::string_view line, const Separators& tabs) override {
    if (const auto fault = record(line, tabs)) report_->note(*fault, line);
  }

  void finish() override {
    flush();
    pages_.finish();
  }

 private:
  enum class State { kNoQuery, kPage, kSkippedQuery };

  std::optional<Skip> record(std::string_view line, const Separators& tabs) {
    const FirstTabs first(line.size(), tabs);
    if (first.count == 0) return Skip::kTooFewFields;
    const std::string_view session = line.substr(0, first.at[0]);
    if (Id::padded(session) != session_id_) start_session(session);
    if (first.count < 3) return Skip::kTooFewFields;
    const char type = first.at[2] - first.at[1] == 2 ? line[first.at[1] + 1] : '\0';
    if (type == 'Q') {
      flush();
      state_ = State::kSkippedQuery;  // until it proves well-formed
    } else if (type != 'C') {
      return Skip::kUnknownRecord;
    }
    const std::string_view time = line.substr(first.at[0] + 1, first.at[1] - first.at[0] - 1);
    if (!all_digits(time)) return Skip::kNotANumber;
    const std::size_t begin = first.at[2] + 1;
    if (type == 'Q') return show(line, begin, tabs);
    if (tabs.next(0, begin) < line.size()) return Skip::kTooManyFields;
    return click(line.substr(begin));
  }

  void start_session(std::string_view session) {
    flush();
    session_id_ = Id::padded(session);
    if (!session_id_.is_short()) {
      session_.assign(session);
      session_id_.text = session_;
    }
    state_ = State::kNoQuery;
  }

  // What begins there.
  std::optional<Skip> show(std::string_view line, std::size_t begin, const Separators& tabs) {
    bool known = false;
    page_ = &pages_.page_of(line.substr(begin), known);
    if (!known) {
      tabs.find(0, begin, line.size(), tabs_);
      if (const auto fault = read_list(line, begin)) return fault;
    }
    state_ = State::kPage;
    return std::nullopt;
  }

  // QueryID RegionID URL1 ... URLn, which begin there.
  std::optional<Skip> read_list(std::string_view line, std::size_t begin) {
    if (tabs_.size() < 2) return Skip::kTooFewFields;
    const char* const given = line.data() + begin;
    const auto query = line.substr(begin, tabs_[0] - begin);
    if (const auto fault = page_->set_given_query(given, query)) return fault;
    const auto item = [&](std::size_t k) -> std::string_view {
      const std::size_t from = tabs_[k + 1] + 1;
      return {line.data() + from, tabs_[k + 2] - from};
    };
    if (const auto fault = page_->add_given_items(given, tabs_.size() - 1, item)) return fault;
    return page_->finish_list();
  }

  std::optional<Skip> click(std::string_view item) {
    if (state_ == State::kNoQuery) return Skip::kClickBeforeQuery;
    if (state_ == State::kSkippedQuery) return Skip::kClickOfSkippedQuery;
    return page_->click(Id::padded(item));
  }

  void flush() {
    if (state_ != State::kPage) return;
    state_ = State::kNoQuery;
    ++report_->impressions;
    report_->clicks += page_->clicks();
    pages_.hand_over(pages_.needs_session() ? session_key(session_id_) : 0);
  }

  LogReport* report_;
  Id session_id_;
  std::string session_;  // its text, if it is long
  State state_ = State::kNoQuery;
  KnownPages pages_;
  Page* page_ = nullptr;
  Places tabs_;  // of a list
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
