#include "dcmrank/model_file/compact_model.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/fitted_check.h"
#include "dcmrank/model_file/compact_codec.h"
#include "dcmrank/model_file/model_file.h"

namespace dcmrank {
namespace {

double probability(CompactReader& from) {
  const double value = from.number();
  if (!(value >= 0 && value <= 1)) throw InputError("a probability is not in [0, 1]");
  return value;
}

double count_of(CompactReader& from) {
  const double value = from.number();
  if (!(value >= 0 && value <= 0x1p53)) throw InputError("a count is not from 0 to 2^53");
  return value;
}

std::string id_of(CompactReader& from) {
  const std::string_view id = from.text();
  check_id(id);
  return std::string(id);
}

FittedItem read_item(const ClickModel& model, CompactReader& from) {
  FittedItem item;
  item.item = id_of(from);
  item.attraction = probability(from);
  item.shown = count_of(from);
  item.clicked = count_of(from);
  item.impressions = count_of(from);
  check_counts(item);
  for (std::size_t p = 0; p < model.items.size(); ++p) item.parameters.push_back(probability(from));
  const std::uint64_t marks = from.whole();
  const std::uint64_t mask = marks >> 1U;
  if (mask >> (1 + model.items.size()) != 0) throw InputError("no such probability of an item");
  for (std::size_t p = 0; p <= model.items.size(); ++p) {
    if ((mask >> p & 1U) != 0)
      item.unidentified.push_back(p == 0 ? "attraction" : model.items[p - 1]);
  }
  if ((marks & 1U) == 0) return item;
  item.interval = Interval{probability(from), probability(from)};
  if (item.interval->low > item.interval->high) {
    throw InputError("an interval ends before it begins");
  }
  return item;
}

FittedList read_list(CompactReader& from) {
  FittedList list;
  const std::size_t values = from.count();
  for (std::size_t n = 0; n < values; ++n) list.values.push_back(probability(from));
  const std::size_t unidentified = from.count();
  for (std::size_t n = 0; n < unidentified; ++n) {
    list.unidentified.push_back(static_cast<std::size_t>(from.whole()));
    const std::size_t entry = list.unidentified.back();
    if (entry == 0 || entry > values) throw InputError("no such entry of a list");
  }
  return list;
}

}  // namespace

bool is_compact(std::string_view bytes) { return bytes.starts_with(kCompactMark); }

bool is_compact_name(std::string_view path) { return path.ends_with(".cmodel"); }

CompactModel::CompactModel(const std::string& path)
    : file_(std::make_unique<MappedFile>(path)), bytes_(file_->bytes()), source_(path) {
  open();
}

CompactModel::CompactModel(std::string_view bytes, std::string source)
    : bytes_(bytes), source_(std::move(source)) {
  open();
}

std::string_view CompactModel::part(std::uint64_t begin, std::uint64_t size) const {
  if (begin > bytes_.size() || size > bytes_.size() - begin) {
    throw InputError(fmt::format("{}: the file is damaged: nothing is at byte {}", source_, begin));
  }
  return bytes_.substr(begin, size);
}

void CompactModel::open() {
  if (!is_compact(bytes_)) throw InputError(fmt::format("{}: not a compact model", source_));
  CompactReader start(part(kCompactMark.size(), kCompactStart - kCompactMark.size()));
  if (start.fixed<std::uint32_t>() != kCompactVersion) {
    throw InputError(fmt::format("{}: the file is of a later version", source_));
  }
  if (bytes_.size() < kCompactStart + kCompactEnd || !bytes_.ends_with(kCompactMark)) {
    throw InputError(fmt::format("{}: the file is cut off", source_));
  }
  const std::uint64_t end = bytes_.size() - kCompactEnd;
  CompactReader tail(part(end, kCompactEnd));
  queries_ = tail.fixed<std::uint64_t>();
  items_ = tail.fixed<std::uint64_t>();
  index_ = tail.fixed<std::uint64_t>();
  const auto head = tail.fixed<std::uint64_t>();
  if (head > end || index_ > head || index_ < kCompactStart || queries_ == 0 ||
      (head - index_) / kCompactEntry != queries_ || (head - index_) % kCompactEntry != 0) {
    throw InputError(
        fmt::format("{}: the file is damaged: its parts do not fit together", source_));
  }
  const std::string_view text = part(head, end - head);
  if (checksum(text) != tail.fixed<std::uint32_t>()) {
    throw InputError(fmt::format("{}: the file is damaged at byte {}", source_, head));
  }
  index_sum_ = tail.fixed<std::uint32_t>();
  head_ = parse_model_head(text, source_);
  model_ = &dcmrank::click_model(head_.model, "\"model\"");
}

std::string_view CompactModel::record(std::uint64_t offset) const {
  if (offset < kCompactStart || offset >= index_) return part(UINT64_MAX, 1);
  CompactReader frame(part(offset, 8));
  const auto size = frame.fixed<std::uint32_t>();
  const auto sum = frame.fixed<std::uint32_t>();
  const std::string_view bytes = part(offset + 8, size);
  if (checksum(bytes) == sum) return bytes;
  throw InputError(fmt::format("{}: the file is damaged at byte {}", source_, offset));
}

FittedQuery CompactModel::query_of(std::string_view record) const {
  CompactReader from(record);
  FittedQuery query;
  query.query = id_of(from);
  query.impressions = count_of(from);
  for (const ListParameter& list : model_->lists) {
    if (list.scope != Scope::kPerQuery) continue;
    FittedList values = read_list(from);
    if (!values.values.empty()) query.lists.emplace(list.name, std::move(values));
  }
  const std::size_t items = from.count();
  std::unordered_set<std::string_view> seen;
  query.items.reserve(items);
  for (std::size_t n = 0; n < items; ++n) {
    query.items.push_back(read_item(*model_, from));
    if (!seen.insert(query.items.back().item).second) throw InputError("an item occurs twice");
  }
  if (!from.empty()) throw InputError("bytes are left over");
  check_query_lists(*model_, head_, query);
  return query;
}

FittedQuery CompactModel::query_at(std::uint64_t offset) const {
  const std::string_view bytes = record(offset);
  try {
    return query_of(bytes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: the query at byte {}: {}", source_, offset, error.what()));
  }
}

std::optional<FittedQuery> CompactModel::find(std::string_view id) const {
  const std::uint64_t hash = hash_of_id(id);
  const auto entry = [&](std::uint64_t n) {
    CompactReader from(part(index_ + n * kCompactEntry, kCompactEntry));
    const auto at = from.fixed<std::uint64_t>();
    return std::pair(at, from.fixed<std::uint64_t>());
  };
  std::uint64_t low = 0;
  for (std::uint64_t high = queries_; low < high;) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (entry(middle).first < hash) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < queries_ && entry(low).first == hash; ++low) {
    const std::uint64_t offset = entry(low).second;
    if (CompactReader(record(offset)).text() == id) return query_at(offset);
  }
  check_index();
  return std::nullopt;
}

// Where a query was not found, and only once. Files of before tell no checksum.
void CompactModel::check_index() const {
  if (index_sum_ == 0) return;
  std::call_once(*checked_, [&] {
    if (checksum(part(index_, queries_ * kCompactEntry)) == index_sum_) return;
    throw InputError(fmt::format("{}: the file is damaged at byte {}", source_, index_));
  });
}

std::vector<FittedQuery> CompactModel::first(std::uint64_t most) const {
  std::vector<FittedQuery> queries;
  std::uint64_t offset = kCompactStart;
  for (std::uint64_t n = 0; n < std::min(most, queries_); ++n) {
    const std::uint64_t size = 8 + record(offset).size();
    queries.push_back(query_at(offset));
    offset += size;
  }
  return queries;
}

FittedModel CompactModel::model() const {
  check_index();
  FittedModel model = head_;
  model.queries = first(queries_);
  std::uint64_t items = 0;
  for (const FittedQuery& query : model.queries) items += query.items.size();
  if (items != items_) {
    throw InputError(
        fmt::format("{}: the file is damaged: it has {} items, not {}", source_, items, items_));
  }
  try {
    check_model(*model_, model);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source_, error.what()));
  }
  return model;
}

}  // namespace dcmrank
