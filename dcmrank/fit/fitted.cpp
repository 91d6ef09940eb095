#include "dcmrank/fit/fitted.h"

namespace dcmrank {

const char* name_of(Method method) { return method == Method::kEm ? "em" : "count"; }

const FittedList& find_list(const FittedLists& lists, std::string_view name) {
  static const FittedList kNone;
  const auto list = lists.find(name);
  return list == lists.end() ? kNone : list->second;
}

const FittedList& find_list(const FittedModel& model, const FittedQuery& query,
                            std::string_view name) {
  const FittedList& own = find_list(query.lists, name);
  return own.values.empty() ? find_list(model.lists, name) : own;
}

}  // namespace dcmrank
