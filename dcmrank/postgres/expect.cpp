// The part of the writer that fetches what a transaction is going to look at.
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

// Columns of a list of names, for `unnest`.
struct Names {
  std::vector<std::int64_t> buckets;
  std::vector<std::int64_t> models;
  std::vector<std::string_view> ids;

  void add(std::int64_t model, std::string_view id) {
    buckets.push_back(static_cast<std::int64_t>(bucket_of(model, id)));
    models.push_back(model);
    ids.push_back(id);
  }
  PgParams params() const { return PgParams().numbers(buckets).numbers(models).texts(ids); }
};

PgParams erasures_of(const Names& names) {
  std::vector<std::string> keys;
  keys.reserve(names.ids.size());
  for (const std::string_view id : names.ids) keys.push_back(text_key(id));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  return PgParams().numbers(names.buckets).numbers(names.models).texts(views);
}

constexpr const char* kNames =  // without the answers, which are long
    "SELECT n.model, n.id, n.number, (extract(epoch FROM clock_timestamp() - n.at) * 1000)::int8 "
    "FROM unnest($1::int8[], $2::int8[], $3::bytea[]) AS u(bucket, model, id) "
    "JOIN dcmrank.named AS n ON n.bucket = u.bucket AND n.model = u.model AND n.id = u.id";
constexpr const char* kEvents =
    "SELECT e.bucket, e.model, e.id, e.hash FROM unnest($1::int8[], $2::int8[], $3::bytea[]) "
    "AS u(bucket, model, id) JOIN dcmrank.event AS e ON e.bucket = u.bucket AND e.model = u.model "
    "AND e.id = u.id";
constexpr const char* kEpochs =
    "SELECT u.n, q.epoch, (q.name IS NOT NULL)::int FROM unnest($1::int8[], $2::int8[], "
    "$3::bytea[]) WITH ORDINALITY "
    "AS u(bucket, model, key, n) JOIN dcmrank.query AS q ON q.bucket = u.bucket AND "
    "q.model = u.model AND q.key = u.key";
constexpr const char* kModels = "SELECT id FROM dcmrank.model WHERE name IS NOT NULL";
constexpr const char* kErasures =
    "SELECT u.n, e.number FROM unnest($1::int8[], $2::int8[], $3::bytea[]) WITH ORDINALITY "
    "AS u(bucket, model, id, n) JOIN dcmrank.erased AS e ON e.bucket = u.bucket AND "
    "e.model = u.model AND e.id = u.id";
constexpr const char* kHeldFor =
    "SELECT h.model, h.impression, h.number, h.caller, h.until, h.body "
    "FROM unnest($1::int8[], $2::int8[], $3::bytea[]) AS u(bucket, model, id) "
    "JOIN dcmrank.held AS h ON h.bucket = u.bucket AND h.model = u.model AND h.impression = u.id";

}  // namespace

void PgWriter::fetch(const std::set<std::uint64_t>& numbers) {
  std::vector<std::int64_t> wanted;
  for (const std::uint64_t number : numbers) {
    if (!impressions_.contains(number)) wanted.push_back(static_cast<std::int64_t>(number));
  }
  if (wanted.empty()) return;
  const PgRows rows = ask_one(kPgFindImpressions, PgParams().numbers(wanted));
  for (const std::int64_t number : wanted) {
    impressions_[static_cast<std::uint64_t>(number)] = std::nullopt;
  }
  for (int n = 0; n < rows.size(); ++n) {
    const auto number = static_cast<std::uint64_t>(rows.number(n, 0));
    try {
      impressions_[number] = pg_impression(rows, n);
    } catch (const std::runtime_error&) {  // damaged: whoever looks for it shall know
      impressions_.erase(number);
    }
  }
}

void PgWriter::fetch_names(const std::set<Name>& wanted) {
  Names names;
  for (const Name& name : wanted) {
    if (!names_.contains(name)) names.add(name.first, name.second);
  }
  if (names.ids.empty()) return;
  const PgRows rows = ask_one(kNames, names.params());
  for (std::size_t n = 0; n < names.ids.size(); ++n) {
    names_[{names.models[n], std::string(names.ids[n])}] = std::nullopt;
  }
  for (int n = 0; n < rows.size(); ++n) {
    Name name{rows.number(n, 0), std::string(rows.text(n, 1))};
    const auto number = static_cast<std::uint64_t>(rows.number(n, 2));
    name_ages_[name] = {number, rows.number(n, 3)};
    names_[std::move(name)] = number;
  }
}

void PgWriter::fetch_for_lists(std::span<const NewImpression* const> lists, bool doubt) {
  std::set<std::uint64_t> numbers;  // that may be there
  Names named;
  Names queries;
  std::vector<Epoch*> of;
  for (const NewImpression* list : lists) {
    if (doubt) numbers.insert(list->number);
    const auto [at, first] = epochs_.try_emplace({list->model, list->query});
    if (first) {  // it is this one where the query is not there yet
      at->second = {list->epoch, false, text_key(list->query)};
      queries.buckets.push_back(static_cast<std::int64_t>(bucket_of(list->number)));
      queries.models.push_back(list->model);
      queries.ids.emplace_back(at->second.key);
      of.push_back(&at->second);
    }
    if (!list->id.empty()) named.add(list->model, list->id);
  }
  std::vector<Statement> statements{{kEpochs, queries.params()}, {kModels, {}}};
  if (!named.ids.empty()) statements.push_back({kHeldFor, named.params()});
  if (!named.ids.empty() && doubt) statements.push_back({kErasures, erasures_of(named)});
  PgGroup group = ask(std::move(statements));
  group.check();
  for (int n = 0; n < group.rows[0].size(); ++n) {
    Epoch& epoch = *of[static_cast<std::size_t>(group.rows[0].number(n, 0) - 1)];
    epoch.number = static_cast<std::uint64_t>(group.rows[0].number(n, 1));
    epoch.stored = group.rows[0].number(n, 2) != 0;
  }
  for (std::size_t n = 0; n < named.ids.size(); ++n) {
    held_known_.insert({named.models[n], std::string(named.ids[n])});
  }
  const PgRows none;
  models_.clear();
  for (int n = 0; n < group.rows[1].size(); ++n) models_.insert(group.rows[1].number(n, 0));
  const PgRows& rows = group.rows.size() > 2 ? group.rows[2] : none;
  for (int n = 0; n < rows.size(); ++n) {
    auto held = pg_held(rows, n);
    if (!held) continue;
    auto& of_id = held_[{held->model, std::string(rows.text(n, 1))}];
    of_id.push_back(*std::move(held));
  }
  const PgRows& erased = group.rows.size() > 3 ? group.rows[3] : none;
  for (int n = 0; n < erased.size(); ++n) {
    const auto of_id = static_cast<std::size_t>(erased.number(n, 0) - 1);
    erasures_[{named.models[of_id], std::string(named.ids[of_id])}] =
        static_cast<std::uint64_t>(erased.number(n, 1));
  }
  fetch(numbers);
}

void PgWriter::fetch_events(std::span<const Expected> events) {
  Names wanted;
  wanted.ids.reserve(events.size());
  for (const Expected& event : events) {
    if (event.event.empty()) continue;
    const auto made = parse_made_id(event.impression);
    std::optional<std::uint64_t> number;
    if (made) number = made->number;
    const Name name{made ? 0 : event.model, std::string(event.impression)};
    if (const auto at = names_.find(name); at != names_.end() && at->second) number = at->second;
    const auto found = number ? impressions_.find(*number) : impressions_.end();
    if (found == impressions_.end() || !found->second) continue;
    wanted.buckets.push_back(static_cast<std::int64_t>(bucket_of(*number)));
    wanted.models.push_back(found->second->model);
    wanted.ids.push_back(event.event);
    events_[{bucket_of(*number), found->second->model, std::string(event.event)}] = std::nullopt;
  }
  if (wanted.ids.empty()) return;
  const PgRows rows = ask_one(kEvents, wanted.params());
  for (int n = 0; n < rows.size(); ++n) {
    events_[{static_cast<std::size_t>(rows.number(n, 0)), rows.number(n, 1),
             std::string(rows.text(n, 2))}] = std::string(rows.text(n, 3));
  }
}

// A list is not there already, unless it was perhaps stored by a transaction that failed: what
// conflicts is looked for when it is done again.
void PgWriter::expect(std::span<const NewImpression* const> lists,
                      std::span<const Expected> events) {
  look_for(lists, events, doubt_);
  expected_ = true;
}

void PgWriter::look_for(std::span<const NewImpression* const> lists,
                        std::span<const Expected> events, bool doubt) {
  looked_ = looked_ || !events.empty();
  if (!lists.empty()) fetch_for_lists(lists, doubt);
  std::set<Name> names;
  std::set<std::uint64_t> numbers;
  for (const NewImpression* list : lists) {
    if (!list->id.empty()) names.insert({list->model, list->id});
  }
  for (const Expected& event : events) {
    if (const auto made = parse_made_id(event.impression)) {
      numbers.insert(made->number);
    } else {
      names.insert({event.model, std::string(event.impression)});
    }
  }
  fetch(numbers);
  for (const Expected& event : events) {  // perhaps of a store from which all was moved here
    const auto made = parse_made_id(event.impression);
    if (made && !impressions_[made->number]) names.insert({0, std::string(event.impression)});
  }
  fetch_names(names);
  numbers.clear();
  for (const Name& name : names) {
    if (const auto number = names_[name]) numbers.insert(*number);
  }
  fetch(numbers);
  fetch_events(events);
}

}  // namespace dcmrank::service
