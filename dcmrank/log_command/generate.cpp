#include "dcmrank/prediction/generate.h"

#include <array>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/log_command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/users_source.h"

namespace dcmrank::command {
namespace {

constexpr std::uint64_t kMaxImpressions = 1'000'000'000'000;

// Endings of compressed files, and the programs that make them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCompressed{
    {{".gz", "gzip"}, {".zst", "zstd"}, {".xz", "xz"}, {".bz2", "bzip2"}}};

struct GenerateArguments {
  UsersSource users;
  std::string impressions = "100000";
  std::string seed = "1";
  std::string format;
  std::string ranking = "random";
  std::string out;
  std::string json;
};

const Choices<RankingKind> kRankings{{"random", RankingKind::kRandom},
                                     {"optimal", RankingKind::kOptimal}};

void check_id(const std::string& id, const LogFormat& format) {
  if (!id.empty() && id.size() <= kMaxId &&
      id.find_first_of(format.separators) == std::string::npos) {
    return;
  }
  throw InputError(fmt::format("--format {} cannot hold the id {}", format.name, quote(id)));
}

void check_ids(const FittedModel& model, const LogFormat& format) {
  for (const FittedQuery& query : model.queries) {
    check_id(query.query, format);
    for (const FittedItem& item : query.items) check_id(item.item, format);
  }
}

constexpr const char* kUsualFormat = "yandex2011";

// What is not told follows from the ending of the name. Logs are written as plain text.
const LogFormat& format_of(const GenerateArguments& arguments) {
  const std::string ending = std::filesystem::path(arguments.out).extension().string();
  for (const auto& [compressed, program] : kCompressed) {
    if (ending != compressed) continue;
    throw InputError(
        fmt::format("--out {}: logs are written uncompressed; compress it afterwards, or with "
                    "--out - | {} > FILE",
                    quote(arguments.out), program));
  }
  if (!arguments.format.empty()) return log_format(arguments.format);
  if (ending == ".csv") return kCsv;
  if (ending == ".jsonl" || ending == ".ndjson") return kJsonl;
  return log_format(kUsualFormat);
}

void run_generate(const GenerateArguments& arguments, const Context& context) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const LogFormat& format = format_of(arguments);
  const RankingKind ranking = choose("--ranking", arguments.ranking, kRankings);
  const auto impressions = parse_count("--impressions", arguments.impressions, kMaxImpressions);
  const auto seed = parse_seed("--seed", arguments.seed);
  const FittedModel model = read_users(arguments.users);
  check_ids(model, format);
  LogGenerator generator(
      model, ranking, Rng(stream_key(Stream::kUsers, seed, 0)),
      arguments.users.model.empty() ? arguments.users.problem : arguments.users.model);
  Output out(arguments.out);
  Output json(arguments.json);
  if (out.to_stdout() && json.to_stdout()) throw InputError("--out and --json are both stdout");
  Pieces pieces(out);
  std::string piece;
  std::uint64_t clicks = 0;
  {
    ProgressBar bar("generate", impressions);
    for (std::uint64_t i = 0; i < impressions; ++i) {
      const Impression impression = generator.next();
      for (const std::uint8_t click : impression.clicks) clicks += click;
      write_impression(format, impression, i, piece);
      if (piece.size() < kPiece) continue;
      if (context.stop.stop_requested()) throw Interrupted();
      pieces.write(piece);
      piece.clear();
      bar.done() = i;
    }
  }
  pieces.write(piece);
  pieces.finish();
  if (json) {
    json.write(print_json(nlohmann::ordered_json{{"format", "dcmrank.generated"},
                                                 {"version", 1},
                                                 {"impressions", impressions},
                                                 {"clicks", clicks},
                                                 {"seed", seed}}));
  }
  if (!out.to_stdout() && !json.to_stdout()) {
    fmt::print("{} with {}\n", how_many(impressions, "impression"), how_many(clicks, "click"));
  }
}

}  // namespace

void add_generate(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand("generate", "Write a click log of simulated users");
  const auto arguments = std::make_shared<GenerateArguments>();
  add_users_options(*command, arguments->users);
  const auto option = [&](const char* name, std::string& value, const char* help,
                          const char* type) {
    return command->add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  option("--impressions", arguments->impressions, "Number of lists shown", "N");
  option("--seed", arguments->seed, "The same seed gives the same log", "N");
  add_format_option(*command, arguments->format,
                    "The format of the log (default: csv or jsonl if FILE ends so, otherwise "
                    "yandex2011):");
  manual::offer(option("--ranking", arguments->ranking,
                       "Lists shown: random (random items in random order) or optimal (the most "
                       "attractive items of each query, the best where the model says that a "
                       "position is worth most, otherwise from the top)",
                       "R"),
                words_of(kRankings));
  command->add_option("--out", arguments->out, "Write the log to this file; - is stdout")
      ->type_name("FILE")
      ->required();
  add_json_option(*command, arguments->json);
  command->footer(
      "Example:\n  dcmrank generate --problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 \\\n"
      "    --impressions 1e5 --seed 1 --format yandex2011 --out log.tsv");
  command->callback([arguments, context] { run_generate(*arguments, context); });
}

}  // namespace dcmrank::command
