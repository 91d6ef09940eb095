#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/dcm.h"
#include "dcmrank/users/screen.h"
#include "dcmrank/users/users.h"

namespace dcmrank {

struct FittedModel;

/// What a simulation knows about lists; policies may be told some of it, and regret is compared
/// with it. Positions and items are numbered from 0; what is empty is not known.
struct ListFacts {
  std::vector<std::size_t> order;   // of positions, from the one for the best item on
  std::vector<double> examination;  // of each position in the best list
  // What the best list sorted by attraction loses per user against the best list.
  std::optional<double> floor;
  bool searched = false;   // the best list was found by exchanges, so a better one may exist
  std::vector<Item> best;  // the list that regret is measured against
};

/// Users that do not follow a DCM: how many items there are and positions they are shown, the users
/// of each run, and the problem as a file holds it.
struct OtherUsers {
  std::string model;  // the kind of user, "model" in a file
  std::size_t items = 0;
  std::size_t positions = 0;
  std::string json;  // an object
  std::function<AnyUsers(std::uint64_t seed, std::uint64_t run)> users;
  ListFacts facts = {};
  std::string reward =
      {};  // what counts: clicks, satisfaction; empty: "reward" of the file, if any
};

/// What a query and its items are called in the model that they are from.
struct ProblemNames {
  std::string query;
  std::vector<std::string> items;
};

/// What policies are compared on. A value whose copies share what they hold; immutable, so threads
/// may share it.
class Problem {
 public:
  Problem(Dcm dcm);           // NOLINT(google-explicit-constructor): a DCM is a problem
  Problem(OtherUsers users);  // NOLINT(google-explicit-constructor): so are they

  const std::string& model() const;
  std::size_t items() const;
  std::size_t positions() const;

  /// A note: which of its numbers the log of a fitted model could not tell, and what stands in for
  /// them. Empty if there is nothing to say.
  const std::string& note() const;
  Problem with_note(std::string note) const;

  /// Nothing if items have only numbers.
  const std::optional<ProblemNames>& names() const;
  Problem with_names(std::optional<ProblemNames> names) const;

  /// The DCM, where users follow one; else nullptr. Its users are simulated without this class.
  const Dcm* dcm() const;

  const ListFacts& facts() const;

  /// What regret counts: "clicks", "satisfaction" (satisfied users), or, of users of a kind that
  /// somebody added, what they call it, else "usual".
  const std::string& reward() const;

  /// The users of one run; by `depths`, some see only the first positions. Throws InputError if
  /// depths are given and the users do not follow a DCM.
  AnyUsers users(std::uint64_t seed, std::uint64_t run, const ScreenDepths& depths = {}) const;

 private:
  friend nlohmann::ordered_json problem_to_json(const Problem& problem);
  struct Content;
  std::shared_ptr<const Content> content_;
};

/// A problem as a user names it: `lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5` or the name of a JSON file
/// (docs/formats.md): a problem, or a model of which `query` names the query (empty if it has only
/// one); `reward` is what counts as reward, empty for what is usual for its users; items of a query
/// that were shown fewer than `min_shown` times are left out (model_file/seldom_shown.h). Throws
/// InputError that names what is wrong and where.
Problem read_problem(const std::string& spec, const std::string& query = "",
                     const std::string& reward = "", std::uint64_t min_shown = 0);

/// The same users with another reward; unchanged if it is empty. Throws InputError that begins with
/// --reward.
Problem with_reward(const Problem& problem, const std::string& reward);

/// One query of a fitted model, with its names; `path` is the model's file, for messages.
Problem problem_of_query(const FittedModel& model, const std::string& query,
                         const std::string& path, std::uint64_t min_shown = 0);

/// The same if only a DCM will do; `what` says why in the message: "WHAT a DCM".
/// `note` becomes the problem's.
Dcm read_dcm(const std::string& spec, const std::string& query, const std::string& what,
             std::string* note = nullptr, std::uint64_t min_shown = 0);

/// Whether its users are those of a click model, and not of a kind that somebody added.
bool follows_click_model(const Problem& problem);

LowerBoundClass parse_lower_bound_class(std::string_view text);
Problem parse_problem(std::string_view json, const std::string& source);
nlohmann::ordered_json problem_to_json(const Problem& problem);

/// Your own kind of user: `read` is given problem files whose "model" is its name. It throws
/// InputError if something is wrong with one.
struct ProblemKind {
  std::string model;
  std::function<Problem(const nlohmann::ordered_json&)> read;
  std::vector<std::string> rewards = {};  // what "reward" may name in a file, or --reward
};

/// Call it before problems are read, from one thread. Throws InputError if the name is taken.
void add_problem_kind(ProblemKind kind);

}  // namespace dcmrank
