#include "dcmrank/configuration/configuration.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/configuration/config_file.h"
#include "dcmrank/libpq/address.h"

namespace dcmrank::configuration {
namespace {

constexpr std::string_view kPrefix = "DCMRANK_";

// What others mean by such names: the example page has its key in one, and Kubernetes names the
// addresses of a service that is called dcmrank so.
bool is_of_others(std::string_view variable) {
  constexpr std::array<std::string_view, 2> kNames{"DCMRANK_KEY", kFileVariable};
  return std::find(kNames.begin(), kNames.end(), variable) != kNames.end() ||
         variable.starts_with("DCMRANK_SERVICE_") || variable.starts_with("DCMRANK_PORT");
}

void take_line(const Option& option, const Line& line) {
  const std::string what = fmt::format("{}: {}", line.where, line.name);
  const auto* text = std::get_if<std::string>(&line.value);
  if (text != nullptr && std::holds_alternative<Count>(option.value)) {
    throw InputError(
        fmt::format("{} is {}, a text, not {}", what, quote(*text), demand_of(option)));
  }
  if (text != nullptr) {
    set_text(option, *text, what);
  } else if (const auto* number = std::get_if<std::int64_t>(&line.value)) {
    set_number(option, *number, what);
  } else {
    throw InputError(fmt::format("{} is {}, not {}", what, std::get<OtherType>(line.value).name,
                                 demand_of(option)));
  }
}

std::string print_key(const service::KeyEntry& key) {
  std::string text =
      fmt::format("\n[[keys]]\nhash = \"{}\"\nscopes = [\"{}\"]\nmodel = {}\n", print_hash(key),
                  fmt::join(split(print_scopes(key.grant), ','), "\", \""),
                  toml_quote(key.grant.model.empty() ? "*" : key.grant.model));
  text += fmt::format("name = {}\n", toml_quote(key.grant.name));
  if (key.expires) text += fmt::format("expires = {}\n", service::print_moment(*key.expires));
  if (key.grant.rate) text += fmt::format("rate = {}\n", *key.grant.rate);
  if (key.grant.burst) text += fmt::format("burst = {}\n", *key.grant.burst);
  if (key.grant.held) text += fmt::format("held = {}\n", *key.grant.held);
  return text;
}

}  // namespace

Configuration::Configuration()
    : table_(option_table(options_)), sources_(table_.size(), "default") {}

void Configuration::read_file(const std::string& file) {
  parse_file(read_regular_file(file), file);
}

void Configuration::parse_file(std::string_view text, const std::string& file) {
  ConfigFile content = parse_config_file(text, file);
  const std::vector<std::string> names = names_of(table_, line_of);
  for (const Line& line : content.lines) {
    const auto at = std::find(names.begin(), names.end(), line.name);
    if (at == names.end()) {
      throw InputError(fmt::format("{}: there is no option {}{}", line.where, quote(line.name),
                                   suggestion(line.name, names)));
    }
    const auto n = static_cast<std::size_t>(at - names.begin());
    take_line(table_[n], line);
    sources_[n] = fmt::format("file, line {}", line.number);
  }
  keys_ = std::move(content.keys);
  file_ = file;
}

std::vector<std::string> Configuration::read_environment(const char* const* variables) {
  const std::vector<std::string> names = names_of(table_, variable_of);
  const std::vector<std::string> formers = names_of(table_, former_variable_of);
  std::vector<std::string> given(table_.size());  // the variable of each that has one
  std::vector<std::string> notes;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable(*variables);
    const std::size_t sign = std::min(variable.find('='), variable.size());
    const std::string name(variable.substr(0, sign));
    const std::string_view text = variable.substr(std::min(sign + 1, variable.size()));
    if (!name.starts_with(kPrefix) || is_of_others(name)) continue;
    const auto at = std::find(names.begin(), names.end(), name);
    const auto former = std::find(formers.begin(), formers.end(), name);
    const auto n =
        static_cast<std::size_t>(at != names.end() ? at - names.begin() : former - formers.begin());
    if (n == table_.size()) {
      notes.push_back(
          fmt::format("the variable {} belongs to no option{}", name, suggestion(name, names)));
    } else if (!text.empty()) {
      if (!given[n].empty() && given[n] != name) {
        throw InputError(fmt::format("{} and {} are the same option: set one of them",
                                     variable_of(table_[n]), former_variable_of(table_[n])));
      }
      given[n] = name;
      set_text(table_[n], text, name);
      sources_[n] = "environment";
    }
  }
  return notes;
}

void Configuration::set_flag(const Option& option, const std::string& text) {
  set_text(option, text, flag_of(option));
  sources_.at(static_cast<std::size_t>(&option - table_.data())) = "flag";
}

std::size_t Configuration::place_of(std::string_view name) const {
  const auto at = std::find_if(table_.begin(), table_.end(),
                               [&](const Option& option) { return option.name == name; });
  return static_cast<std::size_t>(at - table_.begin());
}

void Configuration::choose_place() {
  const auto weight = [](std::string_view source) {
    return source == "flag" ? 3 : source == "environment" ? 2 : source == "default" ? 0 : 1;
  };
  std::string& of_data = sources_[place_of("data")];
  std::string& of_store = sources_[place_of("store")];
  if (options_.store.empty()) return;
  if (of_data == "flag" && of_store == "flag") {
    throw InputError("--data and --store exclude each other");
  }
  if (weight(of_data) <= weight(of_store)) return;
  of_store += ", but data counts before it";
  options_.store.clear();
}

std::shared_ptr<const service::Keys> Configuration::read_keys() const {
  std::vector<service::KeyEntry> entries = keys_;
  const std::string& file = options_.keys_file;
  if (!file.empty()) {
    for (auto& entry : service::parse_keys_file(read_regular_file(file), file)) {
      entries.push_back(std::move(entry));
    }
  }
  return std::make_shared<const service::Keys>(std::move(entries));
}

// What flags and the environment say stays, whatever the file says.
std::vector<std::string> Configuration::changed_in(const Configuration& again) const {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < table_.size(); ++n) {
    const bool counts = sources_[n].find(", but") == std::string::npos;
    const bool of_file = counts && (sources_[n] == "default" || sources_[n].starts_with("file"));
    if (of_file && print_text(table_[n]) != print_text(again.table_[n])) {
      names.push_back(line_of(table_[n]));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

service::KeySource::Again Configuration::read_keys_again() const {
  Configuration again;
  if (!file_.empty()) again.read_file(file_);
  auto changed = changed_in(again);
  again.options_.keys_file = options_.keys_file;
  return {again.read_keys(), std::move(changed)};
}

std::string Configuration::print() const {
  std::string text = "# dcmrank serve --config FILE, where FILE holds this.\n";
  for (std::size_t n = 0; n < table_.size(); ++n) {
    const Option& option = table_[n];
    std::string value = print_toml(option);
    std::string source = sources_[n];
    if (option.name == "store") {
      const std::string shown = service::hide_password(options_.store);
      if (shown != options_.store) source += ", without its password";
      value = toml_quote(shown);
    }
    text += fmt::format("\n# {}\n{} = {}  # {}\n", option.help, line_of(option), value, source);
  }
  for (const service::KeyEntry& key : keys_) text += print_key(key);
  return text;
}

}  // namespace dcmrank::configuration
