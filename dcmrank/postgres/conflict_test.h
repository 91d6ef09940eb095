// What tests of several writers at the same records share.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <libpq-fe.h>

#include "dcmrank/store/contract_test.h"

namespace dcmrank::service {

// A connection that has nothing to do with dcmrank.
class Outsider {
 public:
  explicit Outsider(const std::string& uri) : connection_(PQconnectdb(uri.c_str())) {}
  ~Outsider() { PQfinish(connection_); }
  Outsider(const Outsider&) = delete;
  Outsider& operator=(const Outsider&) = delete;

  void run(const std::string& sql) const {
    PGresult* result = PQexec(connection_, sql.c_str());
    const auto status = PQresultStatus(result);
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << sql << ": " << PQerrorMessage(connection_);
    PQclear(result);
  }
  void hold(std::uint64_t number) const {
    run("SELECT 1 FROM dcmrank.impression WHERE number = " + std::to_string(number) +
        " FOR UPDATE");
  }

 private:
  PGconn* connection_;
};

class PostgresConflicts : public StoreTest {
 protected:
  void SetUp() override {
    make(kStores[1]);
    if (IsSkipped()) return;
    write([&](StoreWriter& w) {
      for (const std::uint64_t n : {1U, 2U}) EXPECT_TRUE(w.insert(list(n), kNow + 1000));
    });
  }
  std::string ask(const std::string& sql) const {
    return testing::PgCluster::shared().ask(sql, database());
  }
  std::string database() const {
    const std::size_t start = place_.find("@/") + 2;
    return place_.substr(start, place_.find('?') - start);
  }
  // Until a backend of ours waits for a lock; its number.
  std::string waiting() const {
    for (int n = 0; n < 3000; ++n) {
      std::string pid =
          ask("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND "
              "application_name = 'dcmrank' AND wait_event_type = 'Lock'");
      if (!pid.empty()) return pid;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "nobody waits";
    return "0";
  }
  Buckets bucket() const { return Buckets().set(bucket_of(no(1))); }

  void begin_teaching() {
    writer_->begin();
    for (const std::uint64_t n : {1U, 2U}) teach(*writer_, no(n), 3);
  }
  void expect_counted_once() {
    EXPECT_EQ(observed(shoes(), "a"), 6);
    expect_whole();
  }
};

}  // namespace dcmrank::service
