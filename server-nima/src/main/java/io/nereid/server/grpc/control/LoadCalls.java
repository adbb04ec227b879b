package io.nereid.server.grpc.control;

import com.google.protobuf.Duration;
import io.grpc.ServerMethodDefinition;
import io.nereid.engine.utilization.LoadMeter;
import io.nereid.engine.utilization.ServerLoad;
import io.nereid.server.codec.protobuf.LoadReportMessage;
import io.nereid.server.grpc.control.PlainCall.ResponseSink;
import io.nereid.server.protobuf.orca.OpenRcaServiceGrpc;
import io.nereid.server.protobuf.orca.OrcaLoadReport;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * ORCA's service of load reports beside the requests: one as soon as the load was measured, then
 * one in each interval that the client has named, until it or the server leaves. A report that a
 * client does not read is left out. Thread-safe.
 */
public final class LoadCalls {
  /** The shortest interval; a client that names a shorter one gets this. */
  static final long LEAST_NANOS = 100_000_000L;

  /** For a client that names none. */
  static final long DEFAULT_NANOS = 10_000_000_000L;

  private static final System.Logger LOG = System.getLogger(LoadCalls.class.getName());
  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long MAX_SECONDS = Long.MAX_VALUE / NANOS_PER_SECOND / 4;

  private final LoadMeter meter;

  public LoadCalls(LoadMeter meter) {
    this.meter = meter;
  }

  public List<ServerMethodDefinition<?, ?>> methods(PlainMethods of) {
    return List.of(
        of.subscription(
            OpenRcaServiceGrpc.getStreamCoreMetricsMethod(),
            (request, caller) -> {
              var client = new Client(caller, intervalNanos(request.getReportInterval()));
              meter.add(client);
              return () -> meter.remove(client);
            }));
  }

  /** The interval in which a client gets reports, whatever it has sent. */
  static long intervalNanos(Duration wanted) {
    if (wanted.getSeconds() > MAX_SECONDS) {
      return MAX_SECONDS * NANOS_PER_SECOND;
    }
    if (wanted.getSeconds() < 0) {
      return DEFAULT_NANOS;
    }
    long nanos = wanted.getSeconds() * NANOS_PER_SECOND + wanted.getNanos();
    return nanos <= 0 ? DEFAULT_NANOS : Math.max(LEAST_NANOS, nanos);
  }

  /** A client that gets reports; told of the load by one thread. */
  private final class Client implements LoadMeter.Subscriber {
    private final ResponseSink<OrcaLoadReport> caller;
    private final long intervalNanos;
    private boolean isTold;
    private long nextNanos;

    Client(ResponseSink<OrcaLoadReport> caller, long intervalNanos) {
      this.caller = caller;
      this.intervalNanos = intervalNanos;
    }

    @Override
    public void measured(ServerLoad load, long nowNanos) {
      if ((isTold && nowNanos - nextNanos < 0) || !caller.isReady()) {
        return;
      }
      isTold = true;
      nextNanos = nowNanos + intervalNanos;
      try {
        caller.send(LoadReportMessage.of(load));
      } catch (RuntimeException closed) { // by the client, at this moment
        meter.remove(this);
        LOG.log(Level.DEBUG, "a report of the load was not sent", closed);
      }
    }
  }
}
