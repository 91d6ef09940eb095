#include "dcmrank/plot/plot_note.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(PlotNotes, AreToldOnceForAllTheirFiles) {
  const auto font = [](const std::string& file) {
    return PlotNote{"no font: ", file, " is drawn in another", " are drawn in another"};
  };
  const PlotNote small{"", "a.pdf", " is too small: 97 mm"};
  const PlotNote smaller{"", "b.pdf", " is too small: 85 mm"};
  EXPECT_EQ(told_once({font("a.pdf"), small, {}, font("b.pdf"), smaller, font("c.pdf")}),
            (std::vector<std::string>{"no font: a.pdf, b.pdf and c.pdf are drawn in another",
                                      "a.pdf is too small: 97 mm", "b.pdf is too small: 85 mm"}));
  EXPECT_EQ(told_once({font("a.pdf")}),
            std::vector<std::string>{"no font: a.pdf is drawn in another"});
  EXPECT_TRUE(told_once({}).empty());
}

TEST(PlotNotes, WithoutAFileAreTheirOwn) {
  EXPECT_EQ(told_once({{"x stays"}, {"y stays"}}),
            (std::vector<std::string>{"x stays", "y stays"}));
}

}  // namespace
}  // namespace dcmrank
