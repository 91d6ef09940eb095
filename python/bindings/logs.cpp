// Click logs and frames.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "bindings.h"
#include "dcmrank/base/error.h"
#include "frames/arrow_in.h"
#include "frames/page_columns.h"
#include "frames/pages.h"
#include "frames/plain_frame.h"
#include "frames/report.h"
#include "frames/table.h"
#include "long_work.h"

namespace dcmrank::python {
namespace {

Pages open_files(const std::vector<std::string>& paths, const std::optional<std::string>& format,
                 const std::string& columns, bool strict) {
  const LogFormat* known = format ? &log_format(*format) : nullptr;
  return {open_log(paths, LogShape{known, Columns::parse(columns)}), strict};
}

Pages frame_pages(std::shared_ptr<const Frame> frame) {
  if (frame->rows() == 0) throw InputError("the frame has no rows");
  return {log_of(std::move(frame)), false};
}

Pages open_columns(const PlainColumn& query, const Int64s& item_ends, const PlainColumn& items,
                   const std::optional<Int64s>& click_ends,
                   const std::optional<PlainColumn>& clicks,
                   const std::optional<PlainColumn>& session) {
  return frame_pages(plain_frame({query, {item_ends, items}, click_ends, clicks, session}));
}

Pages open_stream(const nb::capsule& capsule, bool clicks) {
  auto* stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) nb::raise_python_error();
  if (stream->release == nullptr) throw InputError("the stream has already been read");
  return frame_pages(frame_of_stream(*stream, clicks ? WantsClicks::kYes : WantsClicks::kNo));
}

std::pair<Table, LogReport> read_pages(const Pages& pages, unsigned threads, nb::handle progress) {
  return run_long_for(progress, [&](const WorkControl& control) {
    std::vector<std::shared_ptr<PageColumns>> parts(pages.log.parts());
    LogReport report =
        read_log(pages.log, pages.reading(threads, {control.stop, &control.done}),
                 [&](std::size_t p) { return parts[p] = std::make_shared<PageColumns>(); });
    require_impressions(report);
    PageColumns all;
    for (auto& part : parts) {
      all.append(*part);
      part.reset();
    }
    return std::pair(table_of(std::move(all)), std::move(report));
  });
}

}  // namespace

void bind_logs(nb::module_& m) {
  bind_table(m);
  nb::class_<Pages>(m, "Pages")
      .def("size", [](const Pages& pages) { return pages.log.bytes; })
      .def("can_read_again", [](const Pages& pages) { return pages.log.can_read_again; })
      .def("found", [](const Pages& pages) {
        std::vector<std::string> lines;
        for (const FoundShape& file : pages.log.found) {
          lines.push_back(file.path + ": " + file.shape);
        }
        return lines;
      });
  m.def("open_files", open_files, nb::arg("paths"), nb::arg("format").none(), nb::arg("columns"),
        nb::arg("strict"), Alone());
  m.def("open_stream", open_stream, nb::arg("capsule"), nb::arg("clicks"));
  m.def("open_columns", open_columns, nb::arg("query"), nb::arg("item_ends"), nb::arg("items"),
        nb::arg("click_ends").none(), nb::arg("clicks").none(), nb::arg("session").none(),
        nb::sig("def open_columns(query: typing.Any, item_ends: typing.Any, items: typing.Any, "
                "click_ends: typing.Any, clicks: typing.Any, session: typing.Any) -> Pages"));
  m.def(
      "read_pages",
      [](const Pages& pages, unsigned threads, nb::handle progress) {
        auto [table, report] = read_pages(pages, threads, progress);
        return std::pair<Table, Skips>(std::move(table), skips_of(report));
      },
      nb::arg("pages"), nb::arg("threads"), nb::arg("progress").none());
  m.def("log_formats", [] {
    std::vector<std::string> names;
    for (const LogFormat* format : log_formats()) names.push_back(format->name);
    return names;
  });
}

}  // namespace dcmrank::python
