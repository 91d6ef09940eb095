#include "dcmrank/store/store.h"

#include <fmt/format.h>

namespace dcmrank::service {

std::size_t NewImpression::bytes() const {
  return sizeof *this + query.size() + page.size() + id.size() + body.size() + answer.size();
}

std::string being_erased(std::int64_t model) {
  return fmt::format("model {} is being erased: a server that runs, or the next start, continues",
                     model);
}

}  // namespace dcmrank::service
