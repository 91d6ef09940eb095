#include "dcmrank/source/source.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/source/text_source.h"

namespace dcmrank {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);  // as the program zstd does
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::string xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                          reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  out.resize(size);
  return out;
}

std::string bzip2(std::string text) {
  std::string out(text.size() + text.size() / 50 + 1000, '\0');
  auto size = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(out.data(), &size, text.data(), static_cast<unsigned>(text.size()), 1, 0,
                           0);
  out.resize(size);
  return out;
}

std::string drain(Source& source, std::size_t piece = 1000) {
  std::string all;
  std::string buffer(piece, '\0');
  while (const std::size_t n = source.read(buffer)) all.append(buffer, 0, n);
  return all;
}

std::string sample_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + "\t";
  return text;
}

struct Compressor {
  Compression compression;
  std::string (*compress)(const std::string&);
};
const std::vector<Compressor> kCompressors{
    {Compression::kGzip, gzip},
    {Compression::kZstd, zstd},
    {Compression::kXz, xz},
    {Compression::kBzip2, [](const std::string& text) { return bzip2(text); }}};

TEST(Source, DecompressesOneAfterTheOther) {
  const std::string text = sample_text();
  for (const Compressor& known : kCompressors) {
    const std::string bytes = known.compress(text) + known.compress("more");
    EXPECT_EQ(detect_compression(bytes), known.compression);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20U}) {
      const auto source = decompress(known.compression, std::make_unique<TextSource>(bytes, 100));
      EXPECT_EQ(drain(*source, piece), text + "more") << compression_name(known.compression);
    }
  }
}

TEST(Source, SaysThatATruncatedFileIsDamaged) {
  const std::string text = sample_text();
  for (const Compressor& known : kCompressors) {
    const std::string bytes = known.compress(text);
    for (const std::size_t cut : {std::size_t{1}, std::size_t{9}, bytes.size() / 2}) {
      const auto part = std::string_view(bytes).substr(0, bytes.size() - cut);
      const auto source = decompress(known.compression, std::make_unique<TextSource>(part));
      EXPECT_THROW(drain(*source), DamagedFile)
          << compression_name(known.compression) << " " << cut;
    }
  }
}

TEST(Source, SaysThatChangedBytesAreDamaged) {
  std::string gz = gzip(sample_text());
  gz[gz.size() / 2] = static_cast<char>(gz[gz.size() / 2] ^ 0x55);
  EXPECT_THROW(drain(*gunzip(std::make_unique<TextSource>(gz))), DamagedFile);
}

// A checksum comes after what it is of: that was given, and may be wrong.
TEST(Source, TellsChangedBytesFromWhatFollowsTheEnd) {
  const std::string text = sample_text();
  for (const Compressor& known : kCompressors) {
    const auto read = [&](const std::string& bytes, std::string& given) {
      const auto source = decompress(known.compression, std::make_unique<TextSource>(bytes));
      std::vector<char> buffer(1U << 20U);
      while (const std::size_t n = source->read(buffer)) given.append(buffer.data(), n);
    };
    std::string bytes = known.compress(text);
    std::string given;
    try {
      read(bytes + "garbagegarbage", given);
      ADD_FAILURE() << "not noticed: " << compression_name(known.compression);
    } catch (const ChangedFile& change) {
      ADD_FAILURE() << change.what();
    } catch (const DamagedFile&) {
      EXPECT_EQ(given.size(), text.size()) << compression_name(known.compression);
    }
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x01);
    EXPECT_THROW(read(bytes, given), ChangedFile) << compression_name(known.compression);
  }
}

TEST(Source, KnowsCompressionByTheFirstBytes) {
  EXPECT_EQ(detect_compression(gzip("x")), Compression::kGzip);
  EXPECT_EQ(detect_compression(zstd("x")), Compression::kZstd);
  EXPECT_EQ(detect_compression("0\t0\tQ"), Compression::kNone);
  EXPECT_EQ(detect_compression(""), Compression::kNone);
}

TEST(Source, RefusesWhatIsMissingAndFolders) {
  EXPECT_THROW(open_source({"/no/such/file"}, {}), InputError);
  EXPECT_THROW(open_source({"/"}, {}), InputError);
}

TEST(Source, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(open_source({"/dev/zero"}, {stop.get_token(), nullptr}), Interrupted);
}

TEST(Source, APipeIsWaitedForUntilTheUserWantsToStop) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "source_test_pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread user([&] { stop.request_stop(); });
  EXPECT_THROW(open_source({path}, {stop.get_token(), nullptr}), Interrupted);
  user.join();
  std::jthread writer([&] { std::ofstream(path) << "one" << std::flush << "two"; });
  EXPECT_EQ(drain(*open_source({path}, {})), "onetwo");
  writer.join();
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace dcmrank
