#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/configuration/option.h"
#include "dcmrank/service/keys.h"
#include "dcmrank/service/serve.h"

namespace dcmrank::configuration {

/// The options of `dcmrank serve`, and where each comes from. What is read later replaces what was
/// read before: read the file, then the environment, then the flags.
class Configuration {
 public:
  Configuration();
  ~Configuration() = default;
  Configuration(const Configuration&) = delete;  // the table points into the options
  Configuration& operator=(const Configuration&) = delete;
  Configuration(Configuration&&) = delete;
  Configuration& operator=(Configuration&&) = delete;

  /// Throw InputError; then nothing that the file said may be relied on.
  void read_file(const std::string& file);
  void parse_file(std::string_view text, const std::string& file);

  /// Reads the variables DCMRANK_… of a list like `environ`; empty ones are ignored. Returns notes
  /// on those that belong to no option.
  std::vector<std::string> read_environment(const char* const* variables);

  void set_flag(const Option& option, const std::string& text);

  /// Call when all is read: where everything is kept is said by --data or --store, whichever counts
  /// before the other; if both count alike, by --store. Throws InputError where both are flags.
  void choose_place();

  const service::ServiceOptions& options() const { return options_; }
  const std::vector<Option>& table() const { return table_; }

  /// The keys of the configuration file and of the keys file, which is read now.
  std::shared_ptr<const service::Keys> read_keys() const;
  /// The same after both files were read anew; and the options of the configuration file that it
  /// says otherwise by now, as lines of it name them.
  service::KeySource::Again read_keys_again() const;

  /// A configuration file that says the same, and in comments where each value comes from. Of the
  /// database's address the password is left out.
  std::string print() const;

 private:
  std::size_t place_of(std::string_view name) const;
  std::vector<std::string> changed_in(const Configuration& again) const;

  service::ServiceOptions options_;
  std::vector<Option> table_;
  std::vector<std::string> sources_;  // by option
  std::vector<service::KeyEntry> keys_;
  std::string file_;
};

/// The variable that names the configuration file where --config does not.
inline constexpr const char* kFileVariable = "DCMRANK_CONFIG";

}  // namespace dcmrank::configuration
