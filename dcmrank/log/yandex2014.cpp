// Yandex Personalized Web Search Challenge, 2014:
//   SessionID M Day USERID
//   SessionID TimePassed Q|T SERPID QueryID term,... URLID,DomainID ... URLID,DomainID
//   SessionID TimePassed C SERPID URLID
// T is a test query, whose clicks the challenge withholds: it is used only where it has one.
#include <deque>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/log/format.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/page/page.h"

namespace dcmrank {
namespace {

// A click names the page of its session, which need not be the last: all wait for the session's
// end, up to this many; beyond it the oldest no longer wait.
constexpr std::size_t kMostPages = 1000;

struct Serp {
  std::string id;
  Page page;
  bool usable = false;
  bool test = false;
};

class Yandex2014 : public LogParser {
 public:
  Yandex2014(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void line(std::string_view line) override {
    if (const auto fault = record(line)) report_->note(*fault, line);
  }

  void finish() override { flush(); }

 private:
  std::optional<Skip> record(std::string_view rest) {
    std::string_view session;
    std::string_view time;
    if (!cut_field(rest, '\t', session)) return Skip::kTooFewFields;
    if (session != session_) start_session(session);
    if (!cut_field(rest, '\t', time)) return Skip::kTooFewFields;
    return time == "M" ? start(rest) : event(time, rest);
  }

  void start_session(std::string_view session) {
    flush();
    session_.assign(session);
    session_key_ = session_key(session);
  }

  // Day USERID
  static std::optional<Skip> start(std::string_view rest) {
    std::string_view day;
    if (!cut_field(rest, '\t', day)) return Skip::kTooFewFields;
    if (!all_digits(day)) return Skip::kNotANumber;
    return rest.empty() ? std::optional(Skip::kEmptyId) : std::nullopt;
  }

  // Q|T|C SERPID ...
  std::optional<Skip> event(std::string_view time, std::string_view rest) {
    std::string_view type;
    std::string_view serp;
    if (!cut_field(rest, '\t', type)) return Skip::kTooFewFields;
    const bool query = type == "Q" || type == "T";
    if (!query && type != "C") return Skip::kUnknownRecord;
    if (!cut_field(rest, '\t', serp)) return Skip::kTooFewFields;
    if (!query && !all_digits(time)) return Skip::kNotANumber;
    if (!query) return click(serp, rest);
    Serp& added = add_serp(serp, type == "T");
    if (!all_digits(time)) return Skip::kNotANumber;
    const auto fault = show(rest, added.page);
    added.usable = !fault;
    return fault;
  }

  // QueryID terms URLID,DomainID ...
  std::optional<Skip> show(std::string_view text, Page& page) {
    split_fields(page.start(text), '\t', fields_);
    if (fields_.size() < 3) return Skip::kTooFewFields;
    if (const auto fault = page.set_query(fields_[0])) return fault;
    for (std::size_t f = 2; f < fields_.size(); ++f) {
      std::string_view domain = fields_[f];
      std::string_view url;
      if (!cut_field(domain, ',', url)) return Skip::kTooFewFields;
      if (const auto fault = page.add_item(url)) return fault;
    }
    return page.finish_list();
  }

  std::optional<Skip> click(std::string_view id, std::string_view item) {
    if (item.find('\t') != std::string_view::npos) return Skip::kTooManyFields;
    if (used_ == 0) return Skip::kClickBeforeQuery;
    for (std::size_t s = used_; s-- > 0;) {
      if (serps_[s].id != id) continue;
      return serps_[s].usable ? serps_[s].page.click(item) : Skip::kClickOfSkippedQuery;
    }
    return Skip::kClickOnUnknownPage;
  }

  Serp& add_serp(std::string_view id, bool test) {
    if (used_ == kMostPages) flush();
    if (used_ == serps_.size()) serps_.emplace_back();
    Serp& serp = serps_[used_++];
    serp.id.assign(id);
    serp.test = test;
    serp.usable = false;
    return serp;
  }

  void flush() {
    for (std::size_t s = 0; s < used_; ++s) hand_over(serps_[s]);
    used_ = 0;
  }

  void hand_over(const Serp& serp) {
    if (!serp.usable) return;
    if (serp.test && serp.page.clicks() == 0) {
      report_->note(Skip::kTestQuery, serp.page.impression().query.text);
      return;
    }
    ++report_->impressions;
    report_->clicks += serp.page.clicks();
    sink_->add(serp.page.impression(session_key_));
  }

  ImpressionSink* sink_;
  LogReport* report_;
  std::string session_;
  std::uint64_t session_key_ = session_key("");
  std::deque<Serp> serps_;  // the first used_ are of this session; pages must not move
  std::size_t used_ = 0;
  std::vector<std::string_view> fields_;
};

// A session begins with M; the items of a page are pairs.
bool recognises_yandex2014(LogHead head) {
  std::size_t good = 0;
  std::vector<std::string_view> fields;
  for (const std::string_view line : head) {
    split_fields(line, '\t', fields);
    if (fields.size() < 4) continue;
    const bool start = fields[1] == "M" && fields.size() == 4;
    const bool page = (fields[2] == "Q" || fields[2] == "T") && fields.size() > 6 &&
                      fields.back().find(',') != std::string_view::npos;
    const bool click = fields[2] == "C" && fields.size() == 5;
    if (all_digits(fields[1]) ? page || click : start) ++good;
  }
  return good > head.size() / 2;
}

void write(const Impression& impression, std::uint64_t session, std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "{0}\tM\t1\t{0}\n{0}\t0\tQ\t0\t{1}\t0", session, impression.query.text);
  for (const Id& item : impression.items) fmt::format_to(end, "\t{},0", item.text);
  out += '\n';
  std::size_t time = 0;
  for (std::size_t k = 0; k < impression.items.size(); ++k) {
    if (impression.clicks[k] == 0) continue;
    fmt::format_to(end, "{}\t{}\tC\t0\t{}\n", session, ++time, impression.items[k].text);
  }
}

}  // namespace

const LogFormat kYandex2014{
    "yandex2014",
    "Yandex Personalized Web Search Challenge, 2014",
    true,
    "\t\r\n,",
    [](ImpressionSink& sink, LogReport& report) -> std::unique_ptr<LogParser> {
      return std::make_unique<Yandex2014>(sink, report);
    },
    write,
    recognises_yandex2014};

}  // namespace dcmrank
