#include <algorithm>
#include <utility>

#include "dcmrank/model_file/compact_codec.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/model_file.h"

namespace dcmrank {
namespace {

// Which of the item's probabilities are unidentified: a bit each, attraction first.
std::uint64_t mask_of(const ClickModel& model, const FittedItem& item) {
  std::uint64_t mask = 0;
  for (const std::string& name : item.unidentified) {
    const auto at = std::find(model.items.begin(), model.items.end(), name);
    mask |= std::uint64_t{1} << (at == model.items.end() ? 0 : 1 + (at - model.items.begin()));
  }
  return mask;
}

void write_item(const ClickModel& model, const FittedItem& item, CompactWriter& to) {
  to.text(item.item);
  for (const double value : {item.attraction, item.shown, item.clicked, item.impressions}) {
    to.number(value);
  }
  for (std::size_t p = 0; p < model.items.size(); ++p) to.number(item.parameters.at(p));
  to.whole(mask_of(model, item) << 1U | (item.interval ? 1U : 0U));
  if (!item.interval) return;
  to.number(item.interval->low);
  to.number(item.interval->high);
}

void write_list(const FittedList& list, CompactWriter& to) {
  to.whole(list.values.size());
  for (const double value : list.values) to.number(value);
  to.whole(list.unidentified.size());
  for (const std::size_t entry : list.unidentified) to.whole(entry);
}

}  // namespace

CompactModelWriter::CompactModelWriter(const ClickModel& model, Write write)
    : model_(&model), write_(std::move(write)) {
  CompactWriter start;
  start.out = kCompactMark;
  start.fixed(kCompactVersion);
  start.fixed(std::uint32_t{0});
  this->write(start.out);
}

void CompactModelWriter::write(std::string_view bytes) {
  write_(bytes);
  offset_ += bytes.size();
}

void CompactModelWriter::add(const FittedQuery& query) {
  CompactWriter record;
  record.text(query.query);
  record.number(query.impressions);
  for (const ListParameter& list : model_->lists) {
    if (list.scope == Scope::kPerQuery) write_list(find_list(query.lists, list.name), record);
  }
  record.whole(query.items.size());
  for (const FittedItem& item : query.items) write_item(*model_, item, record);
  index_.emplace_back(hash_of_id(query.query), offset_);
  items_ += query.items.size();
  CompactWriter framed;
  framed.fixed(static_cast<std::uint32_t>(record.out.size()));
  framed.fixed(checksum(record.out));
  framed.out += record.out;
  write(framed.out);
}

void CompactModelWriter::finish(const FittedModel& head) {
  constexpr std::size_t kPiece = 65536;
  std::sort(index_.begin(), index_.end());
  const std::uint64_t index = offset_;
  CompactWriter bytes;
  std::uint32_t sum = checksum({});
  const auto write_piece = [&] {
    sum = checksum(bytes.out, sum);
    write(bytes.out);
    bytes.out.clear();
  };
  for (const auto& [hash, offset] : index_) {
    bytes.fixed(hash);
    bytes.fixed(offset);
    if (bytes.out.size() >= kPiece) write_piece();
  }
  write_piece();
  const std::uint64_t at = offset_;
  const std::string text = print_model_head(head);
  write(text);
  CompactWriter end;
  for (const std::uint64_t value : {std::uint64_t{index_.size()}, items_, index, at}) {
    end.fixed(value);
  }
  end.fixed(checksum(text));
  end.fixed(sum);
  end.out += kCompactMark;
  write(end.out);
}

std::string print_compact(const FittedModel& model) {
  std::string out;
  CompactModelWriter writer(click_model(model.model, "\"model\""),
                            [&](std::string_view bytes) { out += bytes; });
  for (const FittedQuery& query : model.queries) writer.add(query);
  writer.finish(model);
  return out;
}

}  // namespace dcmrank
