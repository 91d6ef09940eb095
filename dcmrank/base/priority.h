#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace dcmrank {

/// From now on the calling thread gets the processor after those that somebody waits for.
inline void give_way() {
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);  // on Linux, of the thread alone
}

}  // namespace dcmrank
