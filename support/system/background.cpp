#include "support/system/background.h"

#include <sched.h>

namespace redraft {

void yield_to_others() {
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_IDLE, &none);
}

}  // namespace redraft
