#include "dcmrank/terminal/policy_folder.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {
namespace {

// 01-dcm-kl-ucb.policy.json: by number, since two may differ in nothing that a name can hold.
std::string file_name(std::size_t number, const std::string& policy) {
  std::string name = fmt::format("{:02}-{}", number, policy);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  }
  constexpr std::size_t kMost = 80;
  return name.substr(0, kMost) + ".policy.json";
}

std::vector<std::filesystem::path> policy_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().string().ends_with(".policy.json")) files.push_back(entry.path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw InputError(fmt::format("cannot read {}: {}", folder, error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

PolicyFolder::PolicyFolder(std::string folder) : folder_(std::move(folder)) {
  create_folder(folder_, "01-policy.policy.json", "--save-policies");
  // Of a folder that is there: NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer)
  descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw InputError(fmt::format("--save-policies {}: in use by another simulation", folder_));
  }
  if (policy_files(folder_).empty()) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  throw InputError(fmt::format("--save-policies {}: the folder already holds policies", folder_));
}

PolicyFolder::~PolicyFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PolicyFolder::save(const std::vector<SavedRuns>& policies) const {
  std::vector<AtomicFile> files;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    files.emplace_back(std::filesystem::path(folder_) / file_name(p + 1, policies[p].policy.text));
    files.back().write(print_json(saved_runs_to_json(policies[p])));
  }
  for (AtomicFile& file : files) file.commit();
}

std::vector<SavedRuns> load_policies(const std::string& folder, ExperimentOptions& options) {
  std::vector<SavedRuns> policies;
  for (const auto& path : policy_files(folder)) {
    const std::string file = path.string();
    policies.push_back(saved_runs_from_json(parse_json(read_file(file), file), file));
    const SavedRuns& first = policies.front();
    const SavedRuns& last = policies.back();
    if (last.seed != first.seed || last.first_run != first.first_run || last.users != first.users ||
        last.runs.size() != first.runs.size()) {
      throw InputError(
          fmt::format("{}: from another simulation than the other policies of {}", file, folder));
    }
  }
  if (policies.empty()) throw InputError(fmt::format("--load {}: no policies there", folder));
  options.seed = policies.front().seed;
  options.first_run = policies.front().first_run;
  options.first_step = policies.front().users;
  options.runs = policies.front().runs.size();
  return policies;
}

}  // namespace dcmrank::command
