#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
/// what comes is left out, and noted.
class TablePages {
 public:
  TablePages(ImpressionSink& sink, LogReport& report, const TableLayout& layout)
      : sink_(&sink), report_(&report), layout_(layout) {}

  /// `text` is shown where something is wrong with the row.
  void add(const TableRow& row, std::string_view text);
  /// Instead, for a row that cannot be read: the page that waits may lack it, and is left out.
  void spoil() { faulty_ = faulty_ || !waiting_.empty(); }
  void finish() { flush(); }
  /// Instead, where the rows are cut off: the page that waits is left out.
  void drop() { waiting_.clear(); }

 private:
  struct Waiting {
    double position;
    std::size_t begin;  // of the item in text_
    std::size_t size;
    bool clicked;
  };

  // What a row is to the page that waits.
  enum class Belongs : std::uint8_t { kToAnother, kNext, kAgain };

  std::optional<Skip> add_page(const TableRow& row);
  std::optional<Skip> add_item(const TableRow& row);
  std::optional<Skip> click_all(const TableRow& row);
  std::optional<Skip> make_page();
  void start_list(std::string_view query);
  void add_to_list(std::string_view item);
  std::optional<Skip> show_list();
  Belongs belongs(const TableRow& row, std::string_view item, double position) const;
  std::string_view item_of(const Waiting& waiting) const {
    return std::string_view(text_).substr(waiting.begin, waiting.size);
  }
  bool is_scattered(const TableRow& row);
  std::vector<Waiting>::const_iterator find(std::string_view item) const;
  void sort();
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
  double highest_ = 0;  // of its positions
  bool faulty_ = false;
  CamePages came_;
};

}  // namespace dcmrank
