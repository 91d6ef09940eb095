// A log format whose parser throws: "query item", and "bad" is no query.
#include <memory>
#include <stdexcept>
#include <string>

#include <dcmrank/command/run.h>
#include <dcmrank/log/format.h>
#include <dcmrank/page/page.h>

using namespace dcmrank;

class Throwing : public LogParser {
 public:
  explicit Throwing(ImpressionSink& sink) : sink_(&sink) {}

  void line(std::string_view line) override {
    const std::string_view text = page_.start(line);
    const std::size_t space = text.find(' ');
    if (text.starts_with("bad")) throw std::runtime_error("this is no query");
    if (page_.set_query(text.substr(0, space))) return;
    if (page_.add_item(text.substr(space + 1)) || page_.finish_list()) return;
    sink_->add(page_.impression());
  }
  void finish() override {}

 private:
  ImpressionSink* sink_;
  Page page_;
};

int main(int argc, char** argv) {
  LogFormat format;
  format.name = "throwing";
  format.summary = "query item";
  format.parser = [](ImpressionSink& sink, LogReport&) -> std::unique_ptr<LogParser> {
    return std::make_unique<Throwing>(sink);
  };
  format.write = [](const Impression&, std::uint64_t, std::string&) {
    throw std::runtime_error("no such line");
  };
  add_log_format(format);
  return run_command(argc, argv);
}
