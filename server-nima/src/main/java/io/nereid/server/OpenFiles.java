package io.nereid.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;

/**
 * The files that the process may still open, of which connections get a part: a process without a
 * free file can accept none, and Helidon's listener then ends for good.
 *
 * @param free how many there are; a quarter of them is for all else, such as the files of models
 */
record OpenFiles(long free) {
  private static final System.Logger LOG = System.getLogger(OpenFiles.class.getName());

  private static final int MAX_REGIONS = 4_096;

  /** The files that this process may still open. */
  static OpenFiles left() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new OpenFiles(unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount())
        : new OpenFiles(Long.MAX_VALUE);
  }

  /**
   * Returns the limit of HTTP connections. A quarter more may be open, to be told that they are
   * refused.
   */
  int http(int wanted) {
    return limit("HTTP", wanted, 30);
  }

  int grpc(int wanted) {
    return limit("gRPC", wanted, 30);
  }

  int metrics(int wanted) {
    return limit("metrics", wanted, 5);
  }

  /** The limit of shared memory regions, each of which keeps a file open. */
  int regions() {
    return Math.clamp(free / 100 * 10, 1, MAX_REGIONS);
  }

  private int limit(String listener, int wanted, int percent) {
    int limit = Math.clamp(free / 100 * percent, 1, wanted);
    if (limit < wanted) {
      LOG.log(
          Level.INFO,
          "{0}: the limit of connections is {1}, not {2}: the process can open {3} more files",
          listener,
          Integer.toString(limit),
          Integer.toString(wanted),
          Long.toString(free));
    }
    return limit;
  }
}
