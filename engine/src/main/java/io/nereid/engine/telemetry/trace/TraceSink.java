package io.nereid.engine.telemetry.trace;

import java.util.List;

/**
 * What takes traces: a writer of files, or an exporter. Its methods are called by any thread and
 * must not block, except {@link #close}.
 */
@FunctionalInterface
public interface TraceSink extends AutoCloseable {
  /**
   * What was lost because the sink could not keep up.
   *
   * @param what is counted: {@code traces} or {@code spans}
   */
  record Dropped(String what, long count) {}

  /** Drops all traces. */
  TraceSink NONE = (_, _) -> {};

  /**
   * Takes the traces of a sampled request, which has ended.
   *
   * @param sampler has sampled it
   * @param traces the request's, then those of an ensemble's steps
   */
  void collected(TraceSampler sampler, List<RequestTrace> traces);

  /** Other settings have come into force; some traces may still follow. */
  default void replaced(TraceSampler sampler) {}

  /** What was lost so far. */
  default Dropped dropped() {
    return new Dropped("traces", 0);
  }

  /** Writes or sends what waits, for some seconds at most. Nothing may come any more. */
  @Override
  default void close() {}
}
