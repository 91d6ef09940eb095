#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/base/csv.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fitted.h"
#include "dcmrank/plot/figure.h"

namespace dcmrank::command {

/// A model whose queries `inspect` shows, and what its kind declares.
struct Shown {
  const FittedModel* model;
  const ClickModel* kind;
  std::uint64_t queries;  // of the whole model
};

/// The `most` items that were shown most often.
std::span<const FittedItem> most_shown(const FittedQuery& query, std::size_t most);

/// The forms of what `inspect` shows, with at most `items` items of a query (docs/formats-logs.md).
nlohmann::ordered_json inspection_json(const Shown& shown, std::size_t items);
DataTable inspection_rows(const Shown& shown, std::size_t items);

/// The paper's Fig. 1c: the model's first list that goes by position, one curve per query; a single
/// one where all queries share the list. Of a model without such a list: the attractions of its
/// first query, with intervals, of at most `items` items.
Figure inspection_figure(const Shown& shown, std::size_t items);

/// One line that says which of the probabilities that it draws it leaves out because the log does
/// not tell them; empty where it has all.
std::string undrawn_note(const Shown& shown);

}  // namespace dcmrank::command
