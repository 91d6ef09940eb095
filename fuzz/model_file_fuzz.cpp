// A model file: refused with InputError, or a model that prints and reads back the same, and that
// makes a log.
#include <cstdlib>

#include "dcmrank/base/error.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/prediction/generate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dcmrank::FittedModel model;
  try {
    model = dcmrank::parse_model({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const dcmrank::InputError&) {
    return 0;
  }
  const std::string text = print_model(model);
  if (print_model(dcmrank::parse_model(text, "again")) != text) std::abort();
  bool items = true;
  for (const dcmrank::FittedQuery& query : model.queries) items = items && !query.items.empty();
  if (!items) return 0;
  dcmrank::LogGenerator generator(model, dcmrank::RankingKind::kRandom, dcmrank::Rng(1));
  for (int i = 0; i < 3; ++i) generator.next();
  return 0;
}
