#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/model.h"
#include "dcmrank/service/teacher.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// {"model":…,"policy":…,…}
void append_model(std::string& out, const Model& model);

/// What was learned, as lines of JSON (docs/service.md): a header, then for each query of each
/// model a line with its sums, exact to the last bit; and a last line, by which one sees that
/// nothing is missing. Each line is of one moment, and nothing is
/// kept open between two pieces: a slow reader holds nobody up.
class Exporter {
 public:
  explicit Exporter(std::unique_ptr<StoreReader> store);

  /// Appends some lines; whether there are more.
  bool more(std::string& out);

 private:
  std::unique_ptr<StoreReader> store_;
  std::vector<Model> models_;
  std::size_t model_ = 0;
  std::string after_;
  bool begun_ = false;
  std::uint64_t queries_ = 0;  // so far
};

/// What an import holds: queries by model. Missing models are created.
struct ImportBatch {
  std::vector<Model> models;
  std::vector<std::pair<std::string, Teacher::Import>> queries;  // by the name of the model
  /// Where it is a fitted model: the same for policies whose rows are counts of pages and clicks.
  /// Its items were looked at, and clicked, at the first position.
  std::vector<std::pair<std::string, Teacher::Import>> looks;
};

/// Reads what the exporter wrote, or a model file of `dcmrank fit`, which counts for `model` as a
/// warm start. Throws ApiError naming the line and the field.
ImportBatch parse_import(std::string_view body, const std::string& model, std::size_t longest_id);

}  // namespace dcmrank::service
