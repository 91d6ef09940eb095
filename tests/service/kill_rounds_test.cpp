// Load, and what must not happen to it: crashes at any moment, a disk that fills up. KILL_ROUNDS
// says how many crashes (make kill-rounds); KILL_SEED when they come.
#include <cstdlib>
#include <iostream>

#include <unistd.h>

#include "dcmrank/random/rng.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

using std::chrono::milliseconds;

class Load : public ServiceTest {
 protected:
  static constexpr const char* kUsers =
      "traffic --problem lb:L=20,K=5,p=0.3,gap=0.2,gamma=0.5 --rate 400 --delay 30ms "
      "--duplicates 0.05 --reordered 0.1 --abandoned 0.2 --late 0.05 --late-after 300ms "
      "--close-after 1s --patience 20s --json result.json ";

  Process users(const std::string& address, const std::string& options) const {
    return running(kUsers + ("--url http://" + address + " ") + options);
  }
  json result() const { return json::parse(read(folder() / "result.json")); }

  // Another process opens the database, reads, and closes it, all the time.
  Process reader() {
    if (over_postgres()) {
      return Process({"bash", "-c",
                      "while psql -qAtX -c 'SELECT count(*) FROM dcmrank.impression' '" +
                          place().substr(std::strlen("--store ")) + "'; do sleep .1; done"},
                     folder());
    }
    return Process({"python3", "-c",
                    "import sqlite3, time\n"
                    "while True:\n"
                    "  try:\n"
                    "    base = sqlite3.connect('file:data/dcmrank.db?mode=rw', uri=True)\n"
                    "    base.execute('SELECT count(*) FROM impression').fetchall()\n"
                    "    base.close()\n"
                    "  except sqlite3.OperationalError as error:\n"
                    "    print(error, flush=True)\n"
                    "  time.sleep(.005)\n"},
                   folder());
  }
};

// No acknowledged event is lost and none counts twice: the users check it, who go on through all
// crashes; and the database agrees with its own recount, after each crash and at the end. Another
// process reads the database all the time: nobody's locks and nobody's log may suffer from that.
TEST_F(Load, IsCountedExactlyOnceThroughCrashesAtRandomMoments) {
  const std::uint64_t rounds = from_environment("KILL_ROUNDS", 3);
  Rng rng(from_environment("KILL_SEED", 1));
  // Not a port that a client may be given while nobody listens.
  std::string address;
  std::unique_ptr<Server> server;
  for (int port = 20000 + ::getpid() % 10000; port < 32000; ++port) {
    address = "127.0.0.1:" + std::to_string(port);
    server = std::make_unique<Server>(folder(), place(), std::vector<std::string>(), address);
    if (server->address() == address) break;
  }
  Process others = reader();
  std::uint64_t pages = 0;
  std::uint64_t accepted = 0;
  std::uint64_t lost = 0;
  std::uint64_t broken = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    Process process = users(address, "--duration 1500ms --seed " + std::to_string(round));
    std::this_thread::sleep_for(milliseconds(100 + rng.below(1400)));
    server->stop(SIGKILL);
    expect_verified();
    std::this_thread::sleep_for(milliseconds(rng.below(100)));
    server = std::make_unique<Server>(folder(), place(), std::vector<std::string>(), address);
    ASSERT_EQ(server->address(), address);
    const Outcome outcome = process.wait();
    ASSERT_EQ(outcome.status, 0) << "round " << round << "\n" << outcome.out << outcome.err;
    const json now = result();
    pages += now["pages"].get<std::uint64_t>();
    accepted += now["events"]["accepted"].get<std::uint64_t>();
    lost += now["lost"].get<std::uint64_t>();
    broken += now["broken"].get<std::uint64_t>();
  }
  EXPECT_GT(broken, 0U);
  EXPECT_TRUE(others.running());
  others.signal(SIGKILL);
  others.wait();
  server->stop();
  expect_verified();
  std::cout << rounds << " crashes: " << pages << " pages, " << accepted << " events accepted, "
            << lost << " pages lost before they were stored, " << broken
            << " calls without an answer\n";
}

TEST_F(Load, GoesOnOverAFullDiskWithoutARestart) {
  start_on_bad_disk();
  Process process = users(address(), "--duration 3s");
  std::this_thread::sleep_for(milliseconds(1000));
  disk("full");
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 503; }));
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})").status, 200);
  }
  EXPECT_EQ(call("POST", "/v1/feedback", R"({"impression":"none","type":"close"})").status, 503);
  std::this_thread::sleep_for(milliseconds(500));
  disk_is_well();
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 200; }));
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_GT(result()["statuses"].value("503", 0), 0);
  EXPECT_EQ(result()["lost"], 0);  // lists waited for the disk
  stop();
  expect_verified();
}

}  // namespace
}  // namespace dcmrank::testing
