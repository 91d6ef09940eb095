#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/interner.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {

class CompactModel;

/// Finds the parameters of a fitted model for shown lists. What training did not see (a query, an
/// item, a position) takes the mean of the prior; a query that was not seen takes the lists that
/// all share, if any. Refers to the model; immutable, so threads may share it.
class ModelParameters {
 public:
  /// `path` is its file, for messages; empty if there is none.
  explicit ModelParameters(const FittedModel& model, std::string path = {});
  /// Of a compact model, whose queries are read as they come; some are kept. Refers to it, too.
  explicit ModelParameters(const CompactModel& model, std::string path = {});

  const ClickModel& click_model() const { return *click_model_; }
  void find(const Impression& impression, PageParameters& page) const;

  /// Does what asks the click model about a page; what cannot be used is told with file and query.
  template <class Ask>
  void naming(const Impression& impression, const Ask& ask) const {
    try {
      ask();
    } catch (const InputError& error) {
      refuse(impression, error);
    }
  }

 private:
  /// Queries of a compact model that were read.
  class Kept;

  [[noreturn]] void refuse(const Impression& impression, const InputError& error) const;
  void find_lists(std::uint32_t query, std::size_t positions, PageParameters& page) const;

  const FittedModel* model_;
  std::string path_;
  const ClickModel* click_model_;
  Interner queries_;
  Interner item_ids_;
  std::vector<const FittedItem*> items_;
  /// The lists of each query in turn, in the order of the click model; last, those that all share.
  std::vector<const std::vector<double>*> lists_;
  std::shared_ptr<Kept> kept_;
};

/// A model file; the queries of a compact one are read as they are needed.
struct OpenModel {
  std::string path;
  FittedModel model;                            // without queries where it is compact
  std::shared_ptr<const CompactModel> compact;  // if it is

  explicit OpenModel(std::string its_path);
  /// Refer to this.
  ModelParameters parameters() const {
    return compact ? ModelParameters(*compact, path) : ModelParameters(model, path);
  }
};

}  // namespace dcmrank
