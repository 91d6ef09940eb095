#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/log/notes_test.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/source/temporary_file_test.h"

namespace dcmrank {
namespace {

std::vector<std::string> pages_of(const Log& log) {
  const auto notes = std::make_shared<Notes>();
  read_log(log, {1, true, {}}, [&](std::size_t) { return notes; });
  return notes->all;
}

constexpr std::uint64_t kPages = effort<std::uint64_t>(200, 100);

// Pages of up to three rows; from some page on, cells may be quoted and span lines.
std::string random_table(Rng& rng, std::uint64_t first_quoted) {
  std::string text = "page,query,position,item,click\n";
  for (std::uint64_t page = 0; page < kPages; ++page) {
    const std::uint64_t items = 1 + rng.below(3);
    const bool quoted = page >= first_quoted && rng.below(3) == 0;
    for (std::uint64_t k = 1; k <= items; ++k) {
      const char* const end = quoted ? "\n,\"\"" : "";
      text += fmt::format("{},{}q{}{}{},{},i{},{}\n", page, quoted ? "\"" : "", page % 7, end,
                          quoted ? "\"" : "", k, rng.below(2) * 10 + k, rng.below(2));
    }
  }
  return text;
}

// What is said of a page does not depend on where its file is cut, be its cells quoted from the
// start, from somewhere on, or not at all.
TEST(Cuts, DoNotSeparateTheRowsOfAPage) {
  Rng rng(1);
  for (const std::uint64_t first_quoted : {std::uint64_t{0}, kPages / 3, kPages * 3 / 4, kPages}) {
    const TemporaryFile file(random_table(rng, first_quoted));
    const auto whole = pages_of(open_log({file.path()}, LogShape{}));
    EXPECT_GE(whole.size(), kPages);
    for (const std::uint64_t bytes : {1U, 37U, 100U, 1000U, 2000U}) {
      const Log log = open_log({file.path()}, LogShape{}, bytes);
      EXPECT_GT(log.parts(), 1U);
      EXPECT_EQ(pages_of(log), whole) << first_quoted << ' ' << bytes;
    }
  }
}

}  // namespace
}  // namespace dcmrank
