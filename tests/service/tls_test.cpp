// TLS and Unix sockets, with curl and openssl as their users.
#include <filesystem>

#include <sys/stat.h>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Tls : public ServiceTest {
 protected:
  void certificate(const std::string& name) {
    Process process(
        {"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
         name + ".key", "-out", name + ".pem"},
        folder());
    ASSERT_EQ(process.wait().status, 0);
  }
  Outcome curl(std::vector<std::string> words) {
    words.insert(words.begin(), {"curl", "-sS", "--max-time", "20"});
    Process process(words, folder());
    return process.wait();
  }
  void copy(const std::string& from, const std::string& to) {
    for (const char* kind : {".key", ".pem"}) {
      std::filesystem::copy_file(folder() / (from + kind), folder() / (to + kind),
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }
};

TEST_F(Tls, StaysWhereTheNextKeyIsNoFile) {
  certificate("now");
  start("--tls-cert now.pem --tls-key now.key");
  const std::string url = "https://" + address() + "/healthz";
  std::filesystem::remove(folder() / "now.key");
  ASSERT_EQ(::mkfifo((folder() / "now.key").c_str(), 0600), 0);
  process().signal(SIGHUP);
  EXPECT_TRUE(eventually(
      [&] { return process().err().find("now.key: it is no regular file") != std::string::npos; }));
  EXPECT_EQ(json::parse(curl({"--cacert", "now.pem", url}).out)["status"], "ok");
  EXPECT_EQ(stop().status, 0);
}

TEST_F(Tls, IsSpokenWithTheCertificateOfToday) {
  certificate("old");
  certificate("new");
  copy("old", "now");
  start("--tls-cert now.pem --tls-key now.key");
  const std::string url = "https://" + address() + "/healthz";
  EXPECT_EQ(json::parse(curl({"--cacert", "old.pem", url}).out)["status"], "ok");
  EXPECT_NE(curl({"--cacert", "new.pem", url}).status, 0);
  EXPECT_NE(curl({"--cacert", "old.pem", "--tls-max", "1.1", url}).status, 0);
  EXPECT_NE(curl({"http://" + address() + "/healthz"}).status, 0);
  copy("new", "now");
  process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return curl({"--cacert", "new.pem", url}).status == 0; }));
  EXPECT_NE(curl({"--cacert", "old.pem", url}).status, 0);
  write(folder() / "now.pem", "nonsense");  // what works is kept
  process().signal(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(curl({"--cacert", "new.pem", url}).status, 0);
  const std::string body(900'000, ' ');
  EXPECT_EQ(curl({"--cacert", "new.pem", "https://" + address() + "/v1/rank", "-d",
                  R"({"query":"q","items":["a"]})" + body.substr(0, 90'000)})
                .out.find("impression"),
            2U);
}

TEST_F(Tls, IsSpokenBySimulatedUsersWhoLookAtTheCertificate) {
  certificate("good");
  certificate("other");
  start("--tls-cert good.pem --tls-key good.key");
  const auto traffic = [&](const std::string& options) {
    return dcmrank(
        "traffic --problem lb:L=8,K=3,p=0.3,gap=0.2,gamma=0.5 --rate 100 --duration "
        "300ms --close-after 300ms " +
        options);
  };
  const std::string port = address().substr(address().rfind(':'));
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    const Outcome good = traffic("--patience 20s --ca good.pem --url https://" + host + port);
    EXPECT_EQ(good.status, 0) << good.out << good.err;
  }
  for (const std::string doubt : {"--ca other.pem", ""}) {
    const Outcome refused = traffic(doubt + " --patience 300ms --url https://127.0.0.1" + port);
    EXPECT_EQ(refused.status, 1) << doubt;
    EXPECT_NE(refused.err.find("certificate is not trusted"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(traffic("--ca none.pem --url https://127.0.0.1" + port).status, 2);
  EXPECT_EQ(traffic("--ca good.pem --url http://127.0.0.1" + port).status, 2);
}

TEST_F(Tls, NeedsBothFilesAndThatTheyFit) {
  certificate("one");
  certificate("two");
  const auto refused = [&](const std::string& options) {
    const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 " + place() + " " + options);
    EXPECT_EQ(outcome.status, 2) << options;
    return outcome.err;
  };
  EXPECT_NE(refused("--tls-cert one.pem").find("go together"), std::string::npos);
  EXPECT_NE(refused("--tls-cert none.pem --tls-key one.key").find("none.pem"), std::string::npos);
  EXPECT_NE(refused("--tls-cert one.pem --tls-key two.key").find("two.key"), std::string::npos);
}

// Whatever the umask is: a proxy of another user is let in, or nobody is.
TEST_F(Tls, OrASocketWithItsMode) {
  for (const char* umask : {"0000", "0077"}) {
    const std::vector<std::string> before{"sh", "-c",
                                          std::string("umask ") + umask + "; exec \"$@\"", "sh"};
    const std::string socket = std::string("unix:") + umask + ".sock";
    Server server(folder(), another_place() + " --socket-mode 0660", before, socket);
    ASSERT_EQ(server.address(), socket);
    const auto mode =
        std::filesystem::status(folder() / (std::string(umask) + ".sock")).permissions();
    EXPECT_EQ(static_cast<unsigned>(mode), 0660U);
    EXPECT_EQ(server.stop().status, 0);
    EXPECT_FALSE(std::filesystem::exists(folder() / (std::string(umask) + ".sock")));
  }
}

TEST_F(Tls, IsNotNeededOnAUnixSocket) {
  Server server(folder(), place(), {}, "unix:here.sock");
  EXPECT_EQ(server.address(), "unix:here.sock");
  const std::string told = curl({"--unix-socket", "here.sock", "http://localhost/healthz"}).out;
  EXPECT_EQ(json::parse(told)["status"], "ok");
  EXPECT_EQ(dcmrank("serve --listen unix:here.sock " + another_place()).status, 2);  // is in use
  EXPECT_EQ(server.stop().status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder() / "here.sock"));
}

// Somebody has put something else there since.
TEST_F(Tls, OrASocketOfWhichNoOtherIsRemoved) {
  const auto path = folder() / "here.sock";
  Server first(folder(), place(), {}, "unix:here.sock");
  std::filesystem::remove(path);
  Server second(folder(), another_place(), {}, "unix:here.sock");
  EXPECT_EQ(first.stop().status, 0);
  EXPECT_TRUE(std::filesystem::is_socket(path));
  const std::string told = curl({"--unix-socket", "here.sock", "http://localhost/healthz"}).out;
  EXPECT_EQ(json::parse(told)["status"], "ok");
  std::filesystem::remove(path);
  write(path, "mine");
  EXPECT_EQ(second.stop().status, 0);
  EXPECT_EQ(read(path), "mine");
}

TEST_F(Tls, ThatIsNotSpokenIsToldWithWhoDidNot) {
  certificate("now");
  start("--tls-cert now.pem --tls-key now.key --log log");
  for (int n = 0; n < 60; ++n) EXPECT_NE(curl({"http://" + address() + "/healthz"}).status, 0);
  const std::string log = read(folder() / "log");
  const std::size_t line = log.find("\"tls_failed\"");
  ASSERT_NE(line, std::string::npos) << log;
  const std::string said = log.substr(line, log.find('\n', line) - line);
  EXPECT_NE(said.find("\"peer\":\"127.0.0.1\""), std::string::npos) << said;
  EXPECT_NE(said.find("http://"), std::string::npos) << said;
  EXPECT_EQ(curl({"--cacert", "now.pem", "https://" + address() + "/healthz"}).status, 0);
}

// Of the folder of the socket, not of a file that bind() does not find.
TEST_F(Tls, OrASocketInAFolderThatIsThere) {
  const Outcome outcome = dcmrank("serve --listen unix:/no/such/folder/x.sock " + another_place());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("there is no folder /no/such/folder"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace dcmrank::testing
