#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/base/same_version.h"

namespace dcmrank {

/// A policy as a user names it: `name` or `name:key=value,key=value`. A value may itself be a list
/// with commas (`order=3,1,2`): what has no '=' belongs to the value before it.
struct PolicySpec {
  std::string text;  // as typed
  std::string name;
  std::map<std::string, std::string> options;
};

/// Throws InputError if the text does not have that form. Names are checked by make_policy.
PolicySpec parse_policy_spec(std::string_view text);

}  // namespace dcmrank
