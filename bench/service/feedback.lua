-- Feedback in batches of 10 events: of five pages that rank.lua made, a click and the close each.
local pages = os.getenv("PAGES")
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init() n = 0 end

function request()
  local events = {}
  for p = 1, 5 do
    n = n + 1
    local id = '{"impression":"' .. pages .. number .. "-" .. n .. '"'
    events[p] = id .. ',"type":"click","item":"item-' .. n % 10 + 1 .. '"},' .. id ..
                  ',"type":"close"}'
  end
  return wrk.format("POST", "/v1/feedback", {["Content-Type"] = "application/json"},
                    "[" .. table.concat(events, ",") .. "]")
end

function done(summary, latency)
  local wrong = summary.errors
  io.write(string.format("RESULT %.0f %.3f %.3f %d\n", summary.requests / summary.duration * 1e6,
                         latency:percentile(50) / 1000, latency:percentile(99) / 1000,
                         wrong.status + wrong.connect + wrong.read + wrong.write + wrong.timeout))
end
