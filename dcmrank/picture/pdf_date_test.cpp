#include "dcmrank/picture/pdf_date.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace dcmrank::gnuplot {
namespace {

std::string deflated(const std::string& text) {
  std::string result(compressBound(text.size()), '\0');
  uLongf size = result.size();
  compress(reinterpret_cast<Bytef*>(result.data()), &size,
           reinterpret_cast<const Bytef*>(text.data()), text.size());
  result.resize(size);
  return result;
}

std::string two_bytes(std::size_t n) {
  return {static_cast<char>(n >> 8 & 255), static_cast<char>(n & 255)};
}

// As cairo 1.18 lays it out: an object by itself, packed ones, their length, the table of places.
std::string packed_pdf(const std::string& date) {
  std::string pdf = "%PDF-1.5\n";
  const std::size_t first = pdf.size();
  pdf += "1 0 obj\n<< /A 1 >>\nendobj\n";
  const std::size_t packed = pdf.size();
  const std::string objects =
      deflated(fmt::format("2 0\n<< /Producer (cairo)\n   /CreationDate (D:{}Z)\n>>\n", date));
  pdf +=
      "3 0 obj\n<< /Type /ObjStm\n   /Length 4 0 R\n   /N 1\n   /First 4\n"
      "   /Filter /FlateDecode\n>>\nstream\n" +
      objects + "\nendstream\nendobj\n";
  const std::size_t length = pdf.size();
  pdf += fmt::format("4 0 obj\n   {}\nendobj\n", objects.size());
  const std::size_t table = pdf.size();
  std::string places = std::string("\0\0\0\xff\xff", 5);
  places += '\1' + two_bytes(first) + two_bytes(0);
  places += '\2' + two_bytes(3) + two_bytes(0);
  for (const std::size_t place : {packed, length, table}) {
    places += '\1' + two_bytes(place) + two_bytes(0);
  }
  places = deflated(places);
  pdf += fmt::format(
      "5 0 obj\n<< /Type /XRef\n   /Length {}\n   /Filter /FlateDecode\n   /Size 6\n"
      "   /W [1 2 2]\n   /Root 1 0 R\n   /Info 2 0 R\n>>\nstream\n",
      places.size());
  return pdf + places + fmt::format("\nendstream\nendobj\nstartxref\n{}\n%%EOF\n", table);
}

TEST(PdfDate, IsTheSameWheneverAPdfWasMade) {
  std::string plain = "…\n   /CreationDate (D:20261118171845Z)\n…";
  overwrite_pdf_date(plain);
  EXPECT_EQ(plain, "…\n   /CreationDate (D:20000101000000Z)\n…");

  std::string one = packed_pdf("20261118171845");
  std::string other = packed_pdf("20270203040506");
  ASSERT_NE(one, other);
  overwrite_pdf_date(one);
  overwrite_pdf_date(other);
  EXPECT_EQ(one, other);
  EXPECT_NE(one.find("/CreationDate (D:20000101000000Z)"), std::string::npos);
}

TEST(PdfDate, LeavesATableThatKnowsWhereEveryObjectIs) {
  std::string pdf = packed_pdf("20261118171845");
  overwrite_pdf_date(pdf);
  const std::size_t start = pdf.rfind("startxref\n") + 10;
  const std::size_t table = std::stoul(pdf.substr(start));
  ASSERT_EQ(pdf.compare(table, 8, "5 0 obj\n"), 0);
  EXPECT_NE(pdf.find("/W [1 4 2]\n>>\nstream\n", table), std::string::npos);
  EXPECT_EQ(pdf.find("/Filter"), std::string::npos);
  const std::size_t entries = pdf.find("stream\n", table) + 7;
  EXPECT_EQ(pdf.substr(entries + 6 * 7, 11), "\nendstream\n");
  for (const std::size_t object : {1U, 3U, 4U, 5U}) {
    std::size_t place = 0;
    for (std::size_t i = 1; i <= 4; ++i) {
      place = place << 8 | static_cast<unsigned char>(pdf[entries + 7 * object + i]);
    }
    const std::string name = fmt::format("{} 0 obj\n", object);
    EXPECT_EQ(pdf.substr(place, name.size()), name);
  }
  const std::size_t packed = pdf.find("/Length ") + 8;  // of the stream, and of its own object
  EXPECT_NE(pdf.find(fmt::format("4 0 obj\n   {}\nendobj\n", std::stoul(pdf.substr(packed)))),
            std::string::npos);
}

TEST(PdfDate, LeavesWhatItDoesNotKnowAsItIs) {
  const std::string whole = packed_pdf("20261118171845");
  std::string without_date = packed_pdf("yesterday");
  const std::string before = without_date;
  overwrite_pdf_date(without_date);
  EXPECT_EQ(without_date, before);
  for (std::size_t n = 0; n < whole.size() - 30; ++n) {  // cut before its table is whole
    std::string cut = whole.substr(0, n);
    overwrite_pdf_date(cut);
    EXPECT_EQ(cut, whole.substr(0, n));
  }
}

}  // namespace
}  // namespace dcmrank::gnuplot
