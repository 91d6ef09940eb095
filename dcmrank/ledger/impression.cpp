#include "dcmrank/ledger/impression.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "dcmrank/ledger/hash.h"

namespace dcmrank::service {
namespace {

constexpr std::string_view kIdPrefix = "i-";
constexpr std::size_t kNumberDigits = 16;
constexpr std::size_t kWordDigits = 8;

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    const bool decimal = c >= '0' && c <= '9';
    if (!decimal && !(c >= 'a' && c <= 'f')) return std::nullopt;
    value = value << 4U | static_cast<std::uint64_t>(decimal ? c - '0' : c - 'a' + 10);
  }
  return value;
}

void put_rows(std::string& out, const std::vector<Row>& rows) {
  put_unsigned(out, rows.size());
  for (const Row& row : rows) put_row(out, row);
}

std::vector<Row> get_rows(BlobReader& reader) {
  std::vector<Row> rows;
  for (auto n = reader.unsigned_number(); n > 0; --n) rows.push_back(take_row(reader));
  return rows;
}

}  // namespace

Clicks Impression::seen_clicks() const {
  const Clicks all(clicks);
  return all.first(std::max(std::min(seen.value_or(all.size()), all.size()), last_click(all)));
}

std::string made_id(std::uint64_t number, std::uint32_t word) {
  return fmt::format("{}{:016x}{:08x}", kIdPrefix, number, word);
}

std::string impression_id(const Impression& impression) {
  return impression.id.empty() ? made_id(impression.number, impression.word) : impression.id;
}

std::optional<MadeId> parse_made_id(std::string_view id) {
  if (id.size() != kIdPrefix.size() + kNumberDigits + kWordDigits || !id.starts_with(kIdPrefix)) {
    return std::nullopt;
  }
  const auto number = parse_hex(id.substr(kIdPrefix.size(), kNumberDigits));
  const auto word = parse_hex(id.substr(kIdPrefix.size() + kNumberDigits));
  if (!number || !word) return std::nullopt;
  return MadeId{*number, static_cast<std::uint32_t>(*word)};
}

const char* to_text(EventStatus status) {
  switch (status) {
    case EventStatus::kAccepted:
      return "accepted";
    case EventStatus::kDuplicate:
      return "duplicate";
    case EventStatus::kLate:
      return "late";
    case EventStatus::kUnknown:
      return "unknown_impression";
    case EventStatus::kRejected:
      return "rejected";
  }
  return "";
}

std::string encode(const Page& page) {
  std::string out;
  put_unsigned(out, page.items.size());
  for (const std::string& item : page.items) put_text(out, item);
  put_unsigned(out, page.proposed.size());
  for (const Item position : page.proposed) put_unsigned(out, position);
  put_unsigned(out, page.gains.size());
  for (const double gain : page.gains) put_unsigned(out, std::bit_cast<std::uint64_t>(gain));
  return out;
}

Page decode_page(std::string_view bytes) {
  BlobReader reader(bytes);
  Page page;
  for (auto n = reader.unsigned_number(); n > 0; --n) page.items.emplace_back(reader.text());
  for (auto n = reader.unsigned_number(); n > 0; --n) {
    page.proposed.push_back(static_cast<Item>(reader.unsigned_number()));
  }
  for (auto n = reader.unsigned_number(); n > 0; --n) {
    page.gains.push_back(std::bit_cast<double>(reader.unsigned_number()));
  }
  return page;
}

std::string encode(const std::vector<Row>& rows) {
  std::string out;
  put_rows(out, rows);
  return out;
}

std::vector<Row> decode_rows(std::string_view bytes) {
  if (bytes.empty()) return {};
  BlobReader reader(bytes);
  return get_rows(reader);
}

std::string encode(const Contribution& contribution) {
  std::string out;
  if (!contribution.counted) return out;
  put_rows(out, contribution.items);
  put_rows(out, contribution.positions);
  return out;
}

Contribution decode_contribution(std::string_view bytes) {
  if (bytes.empty()) return {};
  BlobReader reader(bytes);
  Contribution contribution;
  contribution.items = get_rows(reader);
  contribution.positions = get_rows(reader);
  contribution.counted = true;
  return contribution;
}

std::vector<std::uint8_t> decode_clicks(std::string_view bytes, std::size_t positions) {
  std::vector<std::uint8_t> clicks(bytes.begin(), bytes.end());
  const auto is_click = [](std::uint8_t click) { return click <= 1; };
  const bool fits = clicks.empty() || clicks.size() == positions;
  if (!fits || !std::all_of(clicks.begin(), clicks.end(), is_click)) {
    throw std::runtime_error("the clicks of a list are damaged");
  }
  clicks.resize(positions);
  return clicks;
}

std::string encode(const Event& event) {
  std::string out;
  put_text(out, event.impression);
  put_unsigned(out, static_cast<std::uint64_t>(event.type));
  put_text(out, event.item);
  put_text(out, event.id);
  put_unsigned(out, event.seen ? *event.seen + 1 : 0);
  return out;
}

Event decode_event(std::string_view bytes) {
  BlobReader reader(bytes);
  Event event;
  event.impression = reader.text();
  event.type = reader.unsigned_number() == 0 ? Event::Type::kClick : Event::Type::kClose;
  event.item = reader.text();
  event.id = reader.text();
  if (const auto seen = reader.unsigned_number(); seen > 0) event.seen = seen - 1;
  return event;
}

std::string event_hash(std::string_view encoded) { return sha256(encoded).substr(0, 16); }

std::string encode(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) put_text(out, text);
  return out;
}

std::vector<std::string> decode_texts(std::string_view bytes) {
  std::vector<std::string> texts;
  for (BlobReader reader(bytes); !reader.done();) texts.emplace_back(reader.text());
  return texts;
}

}  // namespace dcmrank::service
