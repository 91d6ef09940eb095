#include <functional>
#include <future>

#include <gtest/gtest.h>

#include "../cli/process.h"
#include "dcmrank/service/service.h"

namespace dcmrank::service {
namespace {

// What the writer's `work` returns, in a transaction of its own.
std::int64_t write(Service& service, const std::function<std::int64_t(Teacher&)>& work) {
  std::promise<std::int64_t> promise;
  std::int64_t result = 0;
  service.writer().offer(Job{[&](Teacher& teacher) { result = work(teacher); },
                             [&](const std::exception_ptr& failure) {
                               if (failure) return promise.set_exception(failure);
                               promise.set_value(result);
                             }});
  return promise.get_future().get();
}

TEST(Sweep, ClosesAnImpressionThatWasStoredAfterLaterOnesWereSwept) {
  const testing::TemporaryFolder folder;
  ServiceOptions options;
  options.data = folder.path() / "data";
  Service service(options);
  Database database = open_database(options.data);
  QueryReader queries(database);
  const Time made = service.clock().now();
  const Time much_later = made + 2 * options.lifetimes.close_after;
  const std::uint64_t first = service.next_number();
  const std::uint64_t second = service.next_number();
  for (const std::uint64_t number : {second, first}) {
    NewImpression impression;
    impression.number = number;
    impression.made = made;
    impression.query = service.cache().get(1, "shoes", queries);
    impression.page = encode(Page{{"a", "b"}, {}, {}});
    const auto sweep_after = [&](Teacher& teacher) {
      teacher.add(impression, made);
      teacher.sweep(much_later);
      return std::int64_t{0};
    };
    write(service, sweep_after);
    EXPECT_EQ(database.number("SELECT count(*) FROM impression WHERE state = 0"), 0) << number;
  }
  EXPECT_EQ(database.number("SELECT count(*) FROM impression WHERE state = 2"), 2);
}

TEST(Sweep, FindsSuchAnImpressionAfterARestartToo) {
  const testing::TemporaryFolder folder;
  ServiceOptions options;
  options.data = folder.path() / "data";
  std::uint64_t early = 0;
  {
    Service service(options);
    Database database = open_database(options.data);
    QueryReader queries(database);
    const Time made = service.clock().now();
    const Time much_later = made + 2 * options.lifetimes.close_after;
    early = service.next_number();
    NewImpression impression;
    impression.made = made;
    impression.query = service.cache().get(1, "shoes", queries);
    impression.page = encode(Page{{"a", "b"}, {}, {}});
    impression.number = service.next_number();
    write(service, [&](Teacher& teacher) {
      teacher.add(impression, made);
      teacher.sweep(much_later);
      return std::int64_t{0};
    });
    impression.number = early;
    write(service, [&](Teacher& teacher) {
      teacher.add(impression, made);
      return std::int64_t{0};
    });
  }
  Database database = open_database(options.data);
  EXPECT_LT(database.number("SELECT value FROM meta WHERE name = 'cursor'"),
            static_cast<std::int64_t>(early));
}

}  // namespace
}  // namespace dcmrank::service
