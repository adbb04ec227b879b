package io.nereid.engine.telemetry.trace;

import io.nereid.engine.telemetry.HexId;
import io.nereid.spi.trace.TraceContext;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A sampled request with its steps: complete once its front end and all requests have ended. */
final class TraceGroup {
  /** The characters of tensors in all of its traces; what comes then is left out. */
  static final int MAX_CHARACTERS = 4 << 20;

  /** The traces; those of further steps are left out. */
  static final int MAX_TRACES = 1 << 14;

  private final TraceSampler sampler;
  private final Set<TraceLevel> levels;
  private final LongSupplier clock;
  private final AtomicLong ids;
  private final TraceSink sink;
  private final Optional<TraceContext> parent;
  private final String traceId;
  private final Queue<RequestTrace> traces = new ConcurrentLinkedQueue<>();
  private final AtomicInteger traceCount = new AtomicInteger();
  private final AtomicLong characters = new AtomicLong();

  /** The front end and the requests that have not ended. */
  private final AtomicInteger open = new AtomicInteger(1);

  /**
   * @param clock the nanoseconds of arrival times
   * @param ids the last identifier that was used
   * @param parent the context that the client sent
   */
  TraceGroup(
      TraceSampler sampler,
      LongSupplier clock,
      AtomicLong ids,
      TraceSink sink,
      Optional<TraceContext> parent) {
    this.sampler = sampler;
    this.levels = sampler.levels();
    this.clock = clock;
    this.ids = ids;
    this.sink = sink;
    this.parent = parent;
    this.traceId =
        parent.map(TraceContext::traceId).orElseGet(() -> sampler.exports() ? HexId.next() : "");
  }

  RequestTrace trace(long parentId) {
    var trace = new RequestTrace(this, ids.incrementAndGet(), parentId);
    if (traceCount.getAndIncrement() < MAX_TRACES) {
      traces.add(trace);
    }
    return trace;
  }

  boolean isSampled() {
    return !sampler.equals(Tracer.WATCHED);
  }

  long nanos() {
    return clock.getAsLong();
  }

  boolean has(TraceLevel level) {
    return levels.contains(level);
  }

  /** How many elements of a tensor are recorded. */
  int maxElements() {
    return sampler.maxElements();
  }

  /** Whether another tensor may be recorded. */
  boolean hasRoom() {
    return characters.get() < MAX_CHARACTERS;
  }

  /** Counts a tensor that is recorded. */
  void recorded(int length) {
    characters.addAndGet(length);
  }

  /** The characters of the tensors that were recorded. */
  long characters() {
    return characters.get();
  }

  /** The id that spans have; empty if they are not exported. */
  String traceId() {
    return traceId;
  }

  Optional<TraceContext> parent() {
    return parent;
  }

  /** Adds a request; false if all have ended, since the front end has given up already. */
  boolean retain() {
    return open.getAndUpdate(count -> count == 0 ? 0 : count + 1) != 0;
  }

  void release() {
    if (open.decrementAndGet() == 0) {
      sink.collected(sampler, List.copyOf(traces));
    }
  }
}
