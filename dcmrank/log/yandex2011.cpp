// Yandex Relevance Prediction Challenge, 2011:
//   SessionID TimePassed Q QueryID RegionID URL1 ... URLn
//   SessionID TimePassed C URLID
#include <algorithm>
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

// The first three tabs of a padded line.
struct FirstTabs {
  std::size_t count = 0;
  std::array<std::size_t, 3> at{};

  explicit FirstTabs(std::string_view line) {
    std::uint64_t bits = bits_of(line.data(), '\t') & first_bits(line.size());
    for (; bits != 0 && count < 3; bits &= bits - 1) {
      at[count++] = static_cast<std::size_t>(std::countr_zero(bits));
    }
    std::size_t from = std::min<std::size_t>(64, line.size());
    while (count < 3 && from < line.size()) {
      from = line.find('\t', from);
      if (from == std::string_view::npos) return;
      at[count++] = from++;
    }
  }
};

class Yandex2011 : public LogParser {
 public:
  Yandex2011(ImpressionSink& sink, LogReport& report) : report_(&report), pages_(&sink) {}

  void line(std::string_view line) override {
    if (const auto fault = record(line)) report_->note(*fault, line);
  }

  void finish() override {
    flush();
    pages_.finish();
  }

 private:
  enum class State { kNoQuery, kPage, kSkippedQuery };

  std::optional<Skip> record(std::string_view line) {
    const FirstTabs tabs(line);
    if (tabs.count == 0) return Skip::kTooFewFields;
    const std::string_view session = line.substr(0, tabs.at[0]);
    if (Id::padded(session) != session_id_) start_session(session);
    if (tabs.count < 3) return Skip::kTooFewFields;
    const std::string_view time = line.substr(tabs.at[0] + 1, tabs.at[1] - tabs.at[0] - 1);
    const char type = tabs.at[2] - tabs.at[1] == 2 ? line[tabs.at[1] + 1] : '\0';
    const std::string_view rest = line.substr(tabs.at[2] + 1);
    if (type == 'Q') {
      flush();
      state_ = State::kSkippedQuery;  // until it proves well-formed
    } else if (type != 'C') {
      return Skip::kUnknownRecord;
    }
    if (!all_digits(time)) return Skip::kNotANumber;
    return type == 'Q' ? show(rest) : click(rest);
  }

  void start_session(std::string_view session) {
    flush();
    session_.assign(session);
    session_id_ = Id(session_);
    session_key_ = session_key(session);
    state_ = State::kNoQuery;
  }

  std::optional<Skip> show(std::string_view text) {
    bool known = false;
    page_ = &pages_.page_of(text, known);
    if (!known) {
      if (const auto fault = read_list(page_->text())) return fault;
    }
    state_ = State::kPage;
    return std::nullopt;
  }

  // QueryID RegionID URL1 ... URLn
  std::optional<Skip> read_list(std::string_view text) {
    tabs_.find(text, '\t');
    if (tabs_.size() < 2) return Skip::kTooFewFields;
    if (const auto fault = page_->set_query(Id::padded(text.substr(0, tabs_[0])))) return fault;
    std::size_t begin = tabs_[1] + 1;
    for (std::size_t t = 2; t <= tabs_.size(); ++t) {
      const std::size_t end = t < tabs_.size() ? tabs_[t] : text.size();
      if (const auto fault = page_->add_padded_item({text.data() + begin, end - begin}))
        return fault;
      begin = end + 1;
    }
    return page_->finish_list();
  }

  std::optional<Skip> click(std::string_view item) {
    if (item.find('\t') != std::string_view::npos) return Skip::kTooManyFields;
    if (state_ == State::kNoQuery) return Skip::kClickBeforeQuery;
    if (state_ == State::kSkippedQuery) return Skip::kClickOfSkippedQuery;
    return page_->click(Id::padded(item));
  }

  void flush() {
    if (state_ != State::kPage) return;
    state_ = State::kNoQuery;
    ++report_->impressions;
    report_->clicks += page_->clicks();
    pages_.hand_over(session_key_);
  }

  LogReport* report_;
  std::string session_;
  Id session_id_;
  std::uint64_t session_key_ = session_key("");
  State state_ = State::kNoQuery;
  KnownPages pages_;
  Page* page_ = nullptr;
  Places tabs_;
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
