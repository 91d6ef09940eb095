-- POST /v1/rank with 100 candidates and k = 10, for 100 queries in turn. With PAGES set, pages of
-- ten candidates with ids "t<thread>-<n>", for feedback.lua.
local pages = os.getenv("PAGES")
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init()
  n = 0
  local items = {}
  for e = 1, pages and 10 or 100 do items[e] = '"item-' .. e .. '"' end
  list = table.concat(items, ",")
  ready = {}
  for q = 1, 100 do
    ready[q] = wrk.format("POST", "/v1/rank", {["Content-Type"] = "application/json"},
                          '{"query":"query-' .. q .. '","k":10,"items":[' .. list .. "]}")
  end
end

function request()
  n = n + 1
  if not pages then return ready[n % 100 + 1] end
  return wrk.format("POST", "/v1/rank", {["Content-Type"] = "application/json"},
                    '{"query":"query-' .. n % 100 .. '","k":10,"items":[' .. list ..
                      '],"id":"' .. pages .. number .. "-" .. n .. '"}')
end

function done(summary, latency)
  local wrong = summary.errors
  io.write(string.format("RESULT %.0f %.3f %.3f %d\n", summary.requests / summary.duration * 1e6,
                         latency:percentile(50) / 1000, latency:percentile(99) / 1000,
                         wrong.status + wrong.connect + wrong.read + wrong.write + wrong.timeout))
end
