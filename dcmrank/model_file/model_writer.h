#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dcmrank/click_model/fit_log.h"
#include "dcmrank/model_file/compact_model.h"

namespace dcmrank {

/// Writes a model as it comes, as JSON or compact.
class ModelWriter : public FittedSink {
 public:
  using Write = std::function<void(std::string_view)>;

  ModelWriter(bool compact, Write write) : compact_(compact), write_(std::move(write)) {}

  void begin(const FittedModel& head) override;
  void add(FittedQuery&& query) override;
  void finish();

 private:
  bool compact_;
  Write write_;
  FittedModel head_;
  const ClickModel* model_ = nullptr;
  std::optional<CompactModelWriter> compact_writer_;
  bool first_ = true;
  std::string piece_;
};

}  // namespace dcmrank
