#include <functional>
#include <future>
#include <optional>

#include <gtest/gtest.h>

#include "../cli/process.h"
#include "dcmrank/service/service.h"

namespace dcmrank::service {
namespace {

class Sweep : public ::testing::Test {
 protected:
  Sweep() { restart(); }

  void restart() {
    service_.reset();
    service_.emplace(options());
  }

  // Work of the writer, in a transaction of its own.
  void write(const std::function<void(Teacher&)>& work) {
    std::promise<void> promise;
    service_->writer().offer(Job{work, [&](const std::exception_ptr& failure) {
                                   if (failure) return promise.set_exception(failure);
                                   promise.set_value();
                                 }});
    promise.get_future().get();
  }

  void store(std::uint64_t number) {
    Database database = open_database(options().data);
    QueryReader queries(database);
    NewImpression impression;
    impression.number = number;
    impression.made = made_;
    impression.query = service_->cache().get(1, "shoes", queries);
    impression.page = encode(Page{{"a", "b"}, {}, {}});
    write([&](Teacher& teacher) { teacher.add(impression, made_); });
  }

  void sweep_when_all_is_due() {
    write([&](Teacher& teacher) { teacher.sweep(made_ + 2 * options().lifetimes.close_after); });
  }

  std::int64_t timed_out() {
    return open_database(options().data).number("SELECT count(*) FROM impression WHERE state = 2");
  }

  std::uint64_t next_number() { return service_->next_number(); }

 private:
  ServiceOptions options() const {
    ServiceOptions options;
    options.data = folder_.path() / "data";
    return options;
  }

  testing::TemporaryFolder folder_;
  std::optional<Service> service_;
  Time made_ = Clock(0).now();
};

TEST_F(Sweep, ClosesAnImpressionThatWasStoredAfterLaterOnesWereSwept) {
  const std::uint64_t early = next_number();
  store(next_number());
  sweep_when_all_is_due();
  EXPECT_EQ(timed_out(), 1);
  store(early);
  sweep_when_all_is_due();
  EXPECT_EQ(timed_out(), 2);
}

TEST_F(Sweep, ClosesSuchAnImpressionAfterARestartToo) {
  const std::uint64_t early = next_number();
  store(next_number());
  sweep_when_all_is_due();
  store(early);
  restart();
  sweep_when_all_is_due();
  EXPECT_EQ(timed_out(), 2);
}

}  // namespace
}  // namespace dcmrank::service
