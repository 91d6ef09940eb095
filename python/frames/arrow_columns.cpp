#include "frames/arrow_columns.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "frames/nb.h"

namespace dcmrank::python {
namespace {

[[noreturn]] void refuse_type(const char* column, const Typed& typed, const char* wanted) {
  static const std::map<std::string_view, const char*> kNames{
      {"n", "nulls"},   {"e", "float16"}, {"f", "float32"},       {"g", "float64"},
      {"z", "binary"},  {"Z", "binary"},  {"vz", "binary views"}, {"+s", "structs"},
      {"u", "strings"}, {"U", "strings"}, {"vu", "strings"},      {"b", "booleans"},
      {"+l", "lists"},  {"+L", "lists"}};
  const auto name = kNames.find(typed.format());
  const std::string what =
      name != kNames.end() ? name->second : fmt::format("the Arrow type {}", typed.format());
  throw nb::type_error(fmt::format("{}: it holds {}, not {}", column, what, wanted).c_str());
}

std::optional<Whole> whole_kind(std::string_view format) {
  static const std::map<std::string_view, Whole> kKinds{
      {"c", Whole::kI8},  {"C", Whole::kU8},  {"s", Whole::kI16}, {"S", Whole::kU16},
      {"i", Whole::kI32}, {"I", Whole::kU32}, {"l", Whole::kI64}, {"L", Whole::kU64}};
  const auto found = kKinds.find(format);
  return found == kKinds.end() ? std::nullopt : std::optional(found->second);
}

Numbers numbers_of(Whole kind, const Typed& typed) {
  return {kind, typed.array->buffers[1], typed.validity(), typed.offset()};
}

Ids texts_of(Ids::Kind kind, const Typed& typed) {
  Ids ids;
  ids.kind = kind;
  ids.validity = typed.validity();
  ids.offset = typed.offset();
  ids.offsets = typed.array->buffers[1];
  if (kind == Ids::Kind::kTextView) {
    ids.pieces = typed.array->buffers + 2;
  } else {
    ids.text = static_cast<const char*>(typed.array->buffers[2]);
  }
  return ids;
}

void check(int code, ArrowArrayStream& stream) {
  if (code == 0) return;
  const char* why = stream.get_last_error(&stream);
  throw std::runtime_error(fmt::format("the frame cannot be read: {}", why == nullptr ? "" : why));
}

}  // namespace

Numbers flags_of(const Typed& typed) {
  const auto kind = typed.format() == "b" ? std::optional(Whole::kBit) : whole_kind(typed.format());
  if (!kind || typed.type->dictionary != nullptr) {
    refuse_type("clicks", typed, "lists of flags (booleans or integers)");
  }
  return numbers_of(*kind, typed);
}

Ids ids_of(const char* column, const Typed& typed) {
  const auto whole = whole_kind(typed.format());
  if (whole) {
    Ids ids;
    ids.kind = Ids::Kind::kNumbers;
    ids.numbers = numbers_of(*whole, typed);
    if (typed.type->dictionary == nullptr) return ids;
    ids.kind = Ids::Kind::kDictionary;
    ids.dictionary = std::make_shared<const Ids>(
        ids_of(column, {typed.type->dictionary, typed.array->dictionary}));
    ids.dictionary_size = typed.array->dictionary->length;
    return ids;
  }
  if (typed.format() == "u") return texts_of(Ids::Kind::kText32, typed);
  if (typed.format() == "U") return texts_of(Ids::Kind::kText64, typed);
  if (typed.format() == "vu") return texts_of(Ids::Kind::kTextView, typed);
  refuse_type(column, typed, "ids (strings or integers)");
}

Numbers whole_numbers_of(const char* column, const Typed& typed) {
  const auto kind = whole_kind(typed.format());
  if (!kind || typed.type->dictionary != nullptr) refuse_type(column, typed, "integers");
  return numbers_of(*kind, typed);
}

Lists lists_of(const char* column, const Typed& typed) {
  static const std::map<std::string_view, Lists::Kind> kKinds{{"+l", Lists::Kind::kOffsets32},
                                                              {"+L", Lists::Kind::kOffsets64},
                                                              {"+vl", Lists::Kind::kView32},
                                                              {"+vL", Lists::Kind::kView64}};
  Lists lists;
  lists.validity = typed.validity();
  lists.offset = typed.offset();
  if (typed.format().starts_with("+w:")) {
    lists.kind = Lists::Kind::kFixed;
    lists.fixed = std::stoll(std::string(typed.format().substr(3)));
    return lists;
  }
  const auto kind = kKinds.find(typed.format());
  if (kind == kKinds.end()) refuse_type(column, typed, "lists, one per row");
  lists.kind = kind->second;
  lists.offsets = typed.array->buffers[1];
  if (typed.array->n_buffers > 2) lists.sizes = typed.array->buffers[2];
  return lists;
}

std::optional<Typed> find_column(const char* name, const Typed& batch) {
  std::optional<Typed> found;
  for (std::int64_t c = 0; c < batch.type->n_children; ++c) {
    if (std::string_view(batch.type->children[c]->name) != name) continue;
    if (found) throw InputError(fmt::format("the frame has two columns {}", name));
    found = batch.child(c);
    found->shift = batch.array->offset;
  }
  return found;
}

void visit_batches(ArrowArrayStream& stream, const char* what,
                   const std::function<void(std::shared_ptr<Batch>)>& visit) {
  const auto schema = std::make_shared<ArrowOwner<ArrowSchema>>();
  check(stream.get_schema(&stream, schema->get()), stream);
  if (std::string_view((*schema)->format) != "+s") {
    throw nb::type_error(
        fmt::format("the stream is an array, not a frame with columns {}", what).c_str());
  }
  for (;;) {
    auto batch = std::make_shared<Batch>();
    check(stream.get_next(&stream, batch->array.get()), stream);
    if (batch->array->release == nullptr) return;
    batch->schema = schema;
    visit(std::move(batch));
  }
}

}  // namespace dcmrank::python
