#include "dcmrank/log/lines.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// A text that comes in pieces of random sizes.
class InPieces : public Source {
 public:
  InPieces(std::string_view text, std::uint64_t most, Rng& rng)
      : rest_(text), most_(most), rng_(&rng) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min({rest_.size(), buffer.size(), 1 + rng_->below(most_)});
    std::copy_n(rest_.begin(), size, buffer.begin());
    rest_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view rest_;
  std::uint64_t most_;
  Rng* rng_;
};

// Mostly short lines, some of them long, and now and then a byte that is not plain.
std::string random_text(Rng& rng, bool plain) {
  std::string text;
  for (std::uint64_t lines = rng.below(60); lines > 0; --lines) {
    const std::uint64_t most = rng.below(10) == 0 ? 90'000 : 150;
    for (std::uint64_t n = rng.below(most); n > 0; --n) text += "abcdefgh\t,"[rng.below(10)];
    if (!plain && rng.below(8) == 0) text += rng.below(2) == 0 ? "\xc3\xa9" : "\r";
    text += '\n';
  }
  if (rng.below(2) == 0) text += "the\tlast,";
  return text;
}

std::vector<std::size_t> places_of(std::string_view text, char wanted) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == wanted) places.push_back(i);
  }
  return places;
}

void expect_marked(const Separators& marked, std::string_view line, std::string_view separators) {
  Places found;
  for (std::size_t which = 0; which < separators.size(); ++which) {
    const std::size_t from = line.size() / 3;
    for (const std::size_t begin : {std::size_t{0}, from}) {
      const std::string_view part = line.substr(begin, line.size() - 2 * begin);
      marked.find(which, begin, begin + part.size(), found);
      std::vector<std::size_t> places;
      for (std::size_t n = 0; n < found.size(); ++n) places.push_back(found[n] - begin);
      ASSERT_EQ(places, places_of(part, separators[which]));
    }
    ASSERT_EQ(marked.next(which, from), std::min(line.find(separators[which], from), line.size()));
  }
}

TEST(Lines, AreThoseOfThePlainSplit) {
  Rng rng(1);
  for (int round = 0; round < effort(300, 20); ++round) {
    const bool plain = rng.below(2) == 0;
    const std::string text = random_text(rng, plain);
    InPieces source(text, rng.below(2) == 0 ? 50 : 200'000, rng);
    const std::string_view separators = rng.below(2) == 0 ? "\t," : "a";
    Lines lines(source, separators);
    std::string_view line;
    std::size_t at = 0;
    while (lines.next(line)) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view expected = std::string_view(text).substr(at, end - at);
      ASSERT_EQ(line, expected);
      ASSERT_EQ(lines.terminated(), end < text.size());
      const auto odd = [](char c) { return static_cast<signed char>(c) <= 0 || c == '\r'; };
      ASSERT_TRUE(lines.plain() || !plain);
      ASSERT_FALSE(lines.plain() && std::any_of(line.begin(), line.end(), odd));
      expect_marked(lines.separators(line), line, separators);
      at = std::min(end + 1, text.size());
      ASSERT_EQ(lines.consumed(), at);
    }
    EXPECT_EQ(at, text.size());
  }
}

// Few of them or nothing else, at any place of a vector.
TEST(Newlines, AndSeparatorsAreFoundHoweverManyThereAre) {
  Rng rng(3);
  Newlines newlines("\t,");
  for (int round = 0; round < 5000; ++round) {
    std::string text(rng.below(300), 'x');
    const std::uint64_t often = 1 + rng.below(9);
    for (char& c : text) c = rng.below(often) == 0 ? "\n\t,"[rng.below(3)] : 'a';
    const std::size_t begin = rng.below(text.size() + 1);
    newlines.clear();
    newlines.look(text.data(), begin, text.size());
    std::vector<std::size_t> lines;
    for (std::size_t n = 0; n < newlines.size(); ++n) lines.push_back(newlines[n] - begin);
    const std::string_view looked_at = std::string_view(text).substr(begin);
    ASSERT_EQ(lines, places_of(looked_at, '\n'));
    expect_marked(newlines.separators(looked_at, begin), looked_at, "\t,");
    expect_marked(MarkedLine(looked_at, "\t,").separators(), looked_at, "\t,");
  }
}

TEST(Lines, CutWhatIsTooLongAndGoOnBehindIt) {
  Rng rng(2);
  const std::string text = "a\tb\n" + std::string(3 * kMaxLine, 'x') + "\nc,d\n";
  InPieces source(text, 100'000, rng);
  Lines lines(source);
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "a\tb");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, std::string(kMaxLine + 1, 'x'));
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "c,d");
  EXPECT_FALSE(lines.next(line));
}

}  // namespace
}  // namespace dcmrank
