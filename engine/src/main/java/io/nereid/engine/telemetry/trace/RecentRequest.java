package io.nereid.engine.telemetry.trace;

import io.nereid.engine.telemetry.trace.RequestTrace.Timestamp;
import io.nereid.request.ModelKey;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A client's request that has ended, with the times of its stages. Texts that a client has sent are
 * cut.
 *
 * @param model the name of the model that the client asked for
 * @param id the client's id; empty if it sent none, or the request was never admitted
 * @param trace the id of its trace in a file or at an exporter; empty if it has none there
 * @param failure why it failed; empty if it did not
 * @param startNanos when it began to arrive, on the clock of arrival times
 * @param nanos until its response was sent, or it was given up
 * @param parts the request of that model, then those that models made for it
 */
public record RecentRequest(
    String model,
    String id,
    String trace,
    String failure,
    long startNanos,
    long nanos,
    List<Part> parts) {
  /** The most characters of a text of a client. */
  static final int MAX_TEXT = 500;

  /** The most parts; others are left out. */
  static final int MAX_PARTS = 16;

  /**
   * A request of one model.
   *
   * @param version 0 if the request was never admitted
   * @param isCached whether the response came from the cache
   * @param stages when each was first reached, in nanoseconds since the beginning
   */
  public record Part(String model, long version, boolean isCached, Map<TracePoint, Long> stages) {
    public Part {
      stages = Map.copyOf(stages);
    }
  }

  public RecentRequest {
    parts = List.copyOf(parts);
  }

  /**
   * What is kept of a request.
   *
   * @param traces the client's request first; it has a timestamp
   * @param endNanos when all had ended
   */
  static RecentRequest of(String model, List<RequestTrace> traces, long endNanos) {
    RequestTrace first = traces.getFirst();
    long start = start(first.timestamps());
    return new RecentRequest(
        model,
        cut(first.requestId()),
        first.isSampled() ? shownId(first) : "",
        cut(Objects.requireNonNullElse(first.failure(), "")),
        start,
        endNanos - start,
        traces.stream().limit(MAX_PARTS).map(trace -> part(model, trace, start)).toList());
  }

  /** When the first stage was reached. */
  static long start(List<Timestamp> timestamps) {
    return timestamps.stream().mapToLong(Timestamp::nanos).min().orElseThrow();
  }

  private static Part part(String asked, RequestTrace trace, long start) {
    Map<TracePoint, Long> stages = new EnumMap<>(TracePoint.class);
    for (Timestamp timestamp : trace.timestamps()) {
      if (timestamp.activity() instanceof TracePoint point) {
        stages.putIfAbsent(point, timestamp.nanos() - start);
      }
    }
    ModelKey served = trace.model();
    return served == null
        ? new Part(asked, 0, false, stages)
        : new Part(served.name(), served.version(), trace.isCached(), stages);
  }

  private static String shownId(RequestTrace trace) {
    return trace.traceId().isEmpty() ? Long.toString(trace.id()) : trace.traceId();
  }

  private static String cut(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }
}
