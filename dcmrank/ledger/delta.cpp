#include "dcmrank/ledger/delta.h"

#include <algorithm>

#include "dcmrank/ledger/impression.h"

namespace dcmrank::service {

void QueryDelta::add(const Page& page, const Contribution& contribution, int sign) {
  if (!contribution.counted) return;
  rounds += sign;
  positions.resize(std::max(positions.size(), contribution.positions.size()));
  for (std::size_t k = 0; k < contribution.positions.size(); ++k) {
    positions[k].add(contribution.positions[k], sign);
  }
  for (std::size_t k = 0; k < contribution.items.size(); ++k) {
    if (!page.items[k].empty()) items[page.items[k]].add(contribution.items[k], sign);
  }
}

void apply(QueryState& state, const QueryDelta& delta) {
  state.rounds += static_cast<std::uint64_t>(delta.rounds);
  state.positions.resize(std::max(state.positions.size(), delta.positions.size()));
  for (std::size_t k = 0; k < delta.positions.size(); ++k) {
    state.positions[k].add(delta.positions[k], 1);
  }
  for (const auto& [name, row] : delta.items) state.items.add(name, row, 1);
}

std::string encode(const QueryDelta& delta) {
  std::string out;
  put_signed(out, delta.rounds);
  put_text(out, encode(delta.positions));
  for (const auto& [name, row] : delta.items) {
    put_text(out, name);
    put_row(out, row);
  }
  return out;
}

QueryDelta decode_delta(std::string_view bytes) {
  BlobReader reader(bytes);
  QueryDelta delta;
  delta.rounds = static_cast<std::int64_t>(reader.signed_number());
  delta.positions = decode_rows(reader.text());
  while (!reader.done()) {
    std::string name(reader.text());
    delta.items.emplace(std::move(name), take_row(reader));
  }
  return delta;
}

}  // namespace dcmrank::service
