#include "dcmrank/html/html.h"

#include <gtest/gtest.h>

#include "dcmrank/base/atomic_file.h"

namespace dcmrank {
namespace {

TEST(Html, EscapesWhatIsMarkup) {
  EXPECT_EQ(html("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
}

TEST(HtmlTable, HasAHeadingAndEscapedCells) {
  const std::string table = html_table({{"a", "b"}, {"<", "1"}, {"x", "2"}});
  EXPECT_NE(table.find("<th>a</th><th>b</th>"), std::string::npos);
  EXPECT_NE(table.find("<tr><td>&lt;</td><td>1</td></tr>"), std::string::npos);
}

TEST(HtmlPage, StandsAlone) {
  const std::string page = html_page("A & B", "<p>text</p>\n");
  EXPECT_NE(page.find("<h1>A &amp; B</h1>\n<p>text</p>\n</main>"), std::string::npos);
  EXPECT_NE(page.find("<style>"), std::string::npos);
  EXPECT_EQ(page.find("href"), std::string::npos);
}

TEST(InlineSvg, BeginsWithTheDrawingAndHasIdsOfItsOwn) {
  const auto file = std::filesystem::path(testing::TempDir()) / "inline.svg";
  AtomicFile svg(file);
  svg.write("<?xml?><svg><g id=\"gnuplot_plot_1\"><use href='#gpDot'/></g></svg>");
  svg.commit();
  EXPECT_EQ(inline_svg(file, "a"),
            "<svg><g id=\"a-gnuplot_plot_1\"><use href='#a-gpDot'/></g></svg>");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace dcmrank
