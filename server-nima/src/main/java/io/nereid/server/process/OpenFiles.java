package io.nereid.server.process;

import com.sun.management.UnixOperatingSystemMXBean;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.http.limits.ConnectionLimits;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.OptionalInt;

/**
 * The files that the process may still open, of which connections get a part: a process without a
 * free file can accept none, and Helidon's listener then ends for good.
 *
 * @param free how many there are; a quarter of them is for all else, such as the files of models
 */
public record OpenFiles(long free) {
  private static final System.Logger LOG = System.getLogger(OpenFiles.class.getName());

  private static final int MAX_REGIONS = 4_096;

  /** The fewest connections of a listener, of which one client has half. */
  private static final int MIN_CONNECTIONS = 2;

  /** With fewer a server is of little use. */
  private static final int FEW_CONNECTIONS = 16;

  /** The limit of connections to the metrics, which few clients read. */
  private static final int MAX_METRICS_CONNECTIONS = 1_000;

  /** The files that this process may still open. */
  public static OpenFiles left() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? new OpenFiles(unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount())
        : new OpenFiles(Long.MAX_VALUE);
  }

  /**
   * Returns the limits of HTTP with the connections that there may be. A quarter more may be open,
   * to be told that they are refused.
   *
   * @param ofClient how many one client may have; half of all if that is not given
   */
  public ConnectionLimits http(ConnectionLimits wanted, OptionalInt ofClient) {
    int all = limit("HTTP", wanted.maxConnections(), 30);
    return wanted.withMaxConnections(all, share("http", ofClient, all));
  }

  /** The same for gRPC. */
  public GrpcLimits grpc(GrpcLimits wanted, OptionalInt ofClient) {
    int all = limit("gRPC", wanted.connections().max(), 30);
    return wanted.withMaxConnections(all, share("grpc", ofClient, all));
  }

  /** The same for the metrics. */
  public ConnectionLimits metrics(OptionalInt ofClient) {
    int all = limit("metrics", MAX_METRICS_CONNECTIONS, 5);
    return ConnectionLimits.DEFAULT.withMaxConnections(all, share("metrics", ofClient, all));
  }

  private static int share(String listener, OptionalInt ofClient, int all) {
    int half = Math.max(1, all / 2);
    if (ofClient.orElse(half) > half) {
      LOG.log(
          Level.WARNING,
          "--{0}-max-connections-per-client={1}: more than half of the {2} connections, so one"
              + " address can take them from others",
          listener,
          Integer.toString(ofClient.getAsInt()),
          Integer.toString(all));
    }
    return ofClient.orElse(half);
  }

  /** The limit of shared memory regions, each of which keeps a file open. */
  public int regions() {
    return Math.clamp(free / 100 * 10, 1, MAX_REGIONS);
  }

  private int limit(String listener, int wanted, int percent) {
    int limit = Math.clamp(free / 100 * percent, Math.min(MIN_CONNECTIONS, wanted), wanted);
    if (limit < wanted) {
      LOG.log(
          limit < FEW_CONNECTIONS ? Level.WARNING : Level.INFO,
          "{0}: the limit of connections is {1}, not {2}: the process can open {3} more files",
          listener,
          Integer.toString(limit),
          Integer.toString(wanted),
          Long.toString(free));
    }
    return limit;
  }
}
