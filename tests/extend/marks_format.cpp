// A log format of one's own: the query, then the items of the list, a clicked one with a star.
//   shoes a *b c
#include <memory>
#include <vector>

#include <dcmrank/command/run.h>
#include <dcmrank/log/format.h>
#include <dcmrank/page/fields.h>
#include <dcmrank/page/page.h>

using namespace dcmrank;

class Marks : public LogParser {
 public:
  Marks(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void line(std::string_view line) override {
    split_fields(page_.start(line), ' ', fields_);
    std::optional<Skip> fault = page_.set_query(fields_[0]);
    const auto name = [](std::string_view f) { return f.substr(f.starts_with('*') ? 1 : 0); };
    for (std::size_t n = 1; n < fields_.size() && !fault; ++n)
      fault = page_.add_item(name(fields_[n]));
    if (!fault) fault = page_.finish_list();
    if (fault) return report_->note(*fault, line);
    for (std::size_t n = 1; n < fields_.size(); ++n) {
      if (fields_[n].starts_with('*')) page_.click(name(fields_[n]));
    }
    sink_->add(page_.impression());
  }
  void finish() override {}

 private:
  ImpressionSink* sink_;
  LogReport* report_;
  Page page_;
  std::vector<std::string_view> fields_;
};

int main(int argc, char** argv) {
  LogFormat format;
  format.name = "marks";
  format.summary = "query item item ..., a star before what was clicked";
  format.separators = " *\n\r";
  format.parser = [](ImpressionSink& sink, LogReport& report) -> std::unique_ptr<LogParser> {
    return std::make_unique<Marks>(sink, report);
  };
  format.write = [](const Impression& impression, std::uint64_t, std::string& out) {
    out += impression.query.text;
    for (std::size_t k = 0; k < impression.items.size(); ++k) {
      out += impression.clicks[k] != 0 ? " *" : " ";
      out += impression.items[k].text;
    }
    out += '\n';
  };
  add_log_format(format);
  return run_command(argc, argv);
}
