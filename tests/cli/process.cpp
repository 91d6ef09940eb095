#include "process.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program_within.h"
#include "tests/places.h"

namespace dcmrank::testing {
namespace {

namespace fs = std::filesystem;

void redirect(const fs::path& file, int flags, int descriptor) {
  const int opened = ::open(file.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
  ::close(opened);
}

std::string drain(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = fs::temp_directory_path() / "dcmrank-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Process::Process(const std::vector<std::string>& command, const fs::path& directory,
                 const std::string& input, Stderr kind) {
  write(folder_.path() / "in", input);
  int slave = -1;
  if (kind == Stderr::kTerminal && ::openpty(&terminal_, &slave, nullptr, nullptr, nullptr) != 0) {
    throw std::runtime_error("openpty failed");
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const bool within = command.front() == places::kProgram && program_is_within();
  pid_ = ::fork();
  if (pid_ == 0) {
    if (::chdir(directory.c_str()) != 0) ::_exit(126);
    redirect(folder_.path() / "in", O_RDONLY, STDIN_FILENO);
    redirect(folder_.path() / "out", O_WRONLY | O_CREAT, STDOUT_FILENO);
    if (slave >= 0) {
      ::dup2(slave, STDERR_FILENO);
    } else {
      redirect(folder_.path() / "err", O_WRONLY | O_CREAT, STDERR_FILENO);
    }
    if (within) end_as_program(static_cast<int>(command.size()), arguments.data());
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  if (slave >= 0) ::close(slave);
}

void Process::signal(int number) const { ::kill(pid_, number); }

std::string Process::out() const { return read(folder_.path() / "out"); }

std::string Process::err() const { return read(folder_.path() / "err"); }

bool Process::running() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

Outcome Process::wait() {
  Outcome outcome;
  if (terminal_ >= 0) outcome.err = drain(terminal_);
  int status = 0;
  rusage usage{};
  ::wait4(pid_, &status, 0, &usage);
  outcome.peak_kilobytes = usage.ru_maxrss;
  outcome.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.out = read(folder_.path() / "out");
  if (terminal_ < 0) outcome.err = read(folder_.path() / "err");
  if (terminal_ >= 0) ::close(terminal_);
  return outcome;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  std::array<char, 65536> part{};
  do {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  } while (stream);
  return text;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace dcmrank::testing
