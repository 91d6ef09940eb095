#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/base/mapped_file.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fitted.h"

namespace dcmrank {

/// A model in few bytes, in which one query is found without reading the others: the same content
/// as MODEL.json (docs/formats-logs.md has the layout).

/// Whether the bytes begin as such a file does.
bool is_compact(std::string_view bytes);

/// Whether a file of that name is written so: it ends in ".cmodel".
bool is_compact_name(std::string_view path);

/// Writes one, query by query.
class CompactModelWriter {
 public:
  using Write = std::function<void(std::string_view)>;

  CompactModelWriter(const ClickModel& model, Write write);
  void add(const FittedQuery& query);
  /// `head` is the model, whose queries are not looked at.
  void finish(const FittedModel& head);

 private:
  void write(std::string_view bytes);

  const ClickModel* model_;
  Write write_;
  std::uint64_t offset_ = 0;
  std::uint64_t items_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> index_;  // hash of the id, offset
};

std::string print_compact(const FittedModel& model);

/// Reads one. Immutable, so threads may share it. Whatever is wrong with the bytes is an InputError
/// that names the source.
class CompactModel {
 public:
  explicit CompactModel(const std::string& path);
  /// `bytes` must outlive it.
  CompactModel(std::string_view bytes, std::string source);

  /// All but the queries.
  const FittedModel& head() const { return head_; }
  const ClickModel& click_model() const { return *model_; }
  const std::string& source() const { return source_; }
  std::uint64_t queries() const { return queries_; }

  std::optional<FittedQuery> find(std::string_view id) const;
  /// The first ones, in the order of the model.
  std::vector<FittedQuery> first(std::uint64_t most) const;
  /// The whole model.
  FittedModel model() const;

 private:
  void open();
  std::string_view part(std::uint64_t begin, std::uint64_t size) const;
  std::string_view record(std::uint64_t offset) const;
  void check_index() const;
  FittedQuery query_of(std::string_view record) const;
  FittedQuery query_at(std::uint64_t offset) const;

  std::unique_ptr<MappedFile> file_;
  std::string_view bytes_;
  std::string source_;
  const ClickModel* model_ = nullptr;
  FittedModel head_;
  std::uint64_t queries_ = 0;
  std::uint64_t items_ = 0;
  std::uint64_t index_ = 0;  // where it begins
  std::uint32_t index_sum_ = 0;
  std::unique_ptr<std::once_flag> checked_ = std::make_unique<std::once_flag>();
};

}  // namespace dcmrank
