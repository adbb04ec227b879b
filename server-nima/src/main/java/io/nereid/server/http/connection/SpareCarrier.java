package io.nereid.server.http.connection;

import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * A carrier more than usual for as long as large responses are written. A carrier is occupied while
 * 1 or 2 MB of a response go to a send buffer, and by default there is one a processor: on a few
 * processors, as many such clients would hold up all others. With one more, the operating system
 * divides the processors between them. It is not kept, since it costs small requests about 5 % in
 * switches between threads. Thread-safe.
 */
final class SpareCarrier {
  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  private static int users;

  private SpareCarrier() {}

  /** Adds the carrier, if this is the first large response. */
  static synchronized void take() {
    if (users++ == 0) {
      SCHEDULER.setParallelism(SCHEDULER.getParallelism() + 1);
    }
  }

  /** Removes the carrier behind the last large response. */
  static synchronized void giveBack() {
    if (--users == 0) {
      SCHEDULER.setParallelism(SCHEDULER.getParallelism() - 1);
    }
  }
}
