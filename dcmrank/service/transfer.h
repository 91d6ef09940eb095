#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/model.h"
#include "dcmrank/service/options.h"
#include "dcmrank/service/teacher.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Whose the time is that `close_after` of a model says (`close_after_of`).
inline constexpr std::string_view kOfTheService = "service";
inline constexpr std::string_view kOfTheModel = "model";

/// {"model":…,"policy":…,…}
void append_model(std::string& out, const Model& model);

/// What was learned, as lines of JSON (docs/service.md): a header, then for each query of each
/// model a line with its sums, exact to the last bit; and a last line, by which one sees that
/// nothing is missing. Each line is of one moment, and nothing is
/// kept open between two pieces: a slow reader holds nobody up.
class Exporter {
 public:
  Exporter(std::shared_ptr<StoreReader> store, std::vector<Model> models);

  /// Appends some lines; whether there are more.
  bool more(std::string& out);

 private:
  std::shared_ptr<StoreReader> store_;
  std::vector<Model> models_;
  std::size_t model_ = 0;
  std::string after_;
  bool begun_ = false;
  std::uint64_t queries_ = 0;  // so far
};

/// What an import holds: queries by model. Missing models are created.
struct ImportBatch {
  /// Of an export.
  struct NewModel {
    Model model;
    std::size_t line = 0;
  };
  std::vector<NewModel> models;
  struct Query {
    std::string model;  // its name
    std::size_t line = 0;
    Teacher::Import sums;
    /// Of a fitted model: the same for policies whose rows are counts of pages and clicks. Its
    /// items were looked at, and clicked, at the first position.
    std::optional<Teacher::Import> looks;
  };
  std::vector<Query> queries;
  /// Of a fitted model: items of whose attraction its log said nothing. They are left out.
  std::size_t unidentified = 0;
  bool of_fit = false;  // a fitted model, and no export
};

/// Where it stands, to begin a message with: "line 3: ", or "query x: " in a fitted model.
std::string place_of(const ImportBatch::Query& query);

/// Reads a model file of `dcmrank fit`, which counts for `model`. Throws ApiError or InputError.
ImportBatch warm_start(std::string_view body, const std::string& model, std::size_t longest_id);

/// Reads what the exporter wrote, or a model file as a warm start. Throws ApiError naming the line
/// and the field.
ImportBatch parse_import(std::string_view body, const std::string& model, const Limits& limits);

}  // namespace dcmrank::service
