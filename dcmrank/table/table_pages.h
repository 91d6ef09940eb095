#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/page/known_pages.h"
#include "dcmrank/table/table_layout.h"

namespace dcmrank {

/// Remembers which pages came, each by a hash, and of very many only some: whoever scatters pages
/// scatters more than one.
class CamePages {
 public:
  /// Whether it came before; from now on it did.
  bool again(std::uint64_t page);

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 17U;
  std::vector<std::uint64_t> slots_;
};

/// Makes pages of rows. Rows of one page stand together; where a page comes again after another,
/// what comes is left out, and noted. So is a page of which a row is lost.
class TablePages {
 public:
  TablePages(ImpressionSink& sink, LogReport& report, TableLayout layout)
      : sink_(&sink), report_(&report), layout_(std::move(layout)) {}

  /// `text` is shown where something is wrong with the row.
  void add(const TableRow& row, std::string_view text);
  /// Instead, for a row that cannot be used: what it still says of its page is in it, the rest is
  /// empty. The page that it may belong to is left out, be it before or behind it.
  void lose(const TableRow& row);
  /// The rows of a table end here; those of another may follow.
  void finish();
  /// Instead, where the rows are cut off: the page that waits is left out.
  void drop() { waiting_.clear(); }

 private:
  struct Waiting {
    double position;
    std::size_t begin;  // of the item in text_
    std::size_t size;
    bool clicked;
  };

  // What a row that was lost said of its page; empty where it did not say.
  struct Lost {
    std::string query;
    std::string session;
    std::string page;
    std::optional<double> position;
  };

  // What a row is to the page that waits.
  enum class Belongs : std::uint8_t { kToAnother, kNext, kAgain };

  std::optional<Skip> add_page(const TableRow& row);
  std::optional<Skip> add_item(const TableRow& row);
  std::optional<Skip> click_all(const TableRow& row);
  std::optional<Skip> make_page();
  std::optional<Skip> fault_of(const TableRow& row);
  std::optional<Skip> fault_of_id(Role role, std::string_view id);
  std::string named(Role role, std::string_view value) const;
  Skip name(Skip fault, Role role, std::string_view value);
  void start_list(std::string_view query);
  void add_to_list(std::string_view item);
  std::optional<Skip> show_list();
  Belongs belongs(const TableRow& row, std::string_view item, double position) const;
  std::string_view item_of(const Waiting& waiting) const {
    return std::string_view(text_).substr(waiting.begin, waiting.size);
  }
  bool is_scattered(const TableRow& row);
  bool may_be_of_waiting(const Lost& lost) const;
  bool ends_waiting(const Lost& lost) const;
  bool may_lack(const TableRow& first, double position, const Lost& lost) const;
  std::vector<Waiting>::const_iterator find(std::string_view item) const;
  bool sort();
  bool has_gap() const;
  void note_order();
  bool has_at(double position) const;
  void flush();
  void hand_over(std::uint64_t session);

  ImpressionSink* sink_;
  LogReport* report_;
  TableLayout layout_;
  KnownPages pages_;
  Page* page_ = nullptr;
  // A query and its items as one text, and where each of them ends.
  std::string list_;
  std::vector<std::size_t> ends_;
  // The page that waits for its other rows.
  std::vector<Waiting> waiting_;
  std::string text_;  // of its items
  std::string query_;
  std::string session_;
  std::string page_id_;
  double highest_ = 0;      // of its positions
  bool follows_ = false;    // a page of the same query and session
  std::uint64_t line_ = 0;  // of its first row
  bool faulty_ = false;
  std::optional<Lost> lost_;    // the last, where no row came after it
  bool ended_ = false;          // the page that waits, as a lost row behind it says
  std::vector<double> before_;  // positions of the page before, where no column names pages
  std::vector<double> positions_;
  CamePages came_;
  std::string named_;  // column and value of the fault in the row, where one is to blame
};

}  // namespace dcmrank
