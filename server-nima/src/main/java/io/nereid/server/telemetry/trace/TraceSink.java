package io.nereid.server.telemetry.trace;

import java.util.List;

/** The destination of traces. Its methods are called by any thread and must not block. */
public interface TraceSink {
  /** Drops all traces. */
  TraceSink NONE =
      new TraceSink() {
        @Override
        public void collected(TraceSampler sampler, List<RequestTrace> traces) {}

        @Override
        public void replaced(TraceSampler sampler) {}
      };

  /**
   * Takes the traces of a sampled request, which has ended.
   *
   * @param sampler has sampled it
   * @param traces the request's, then those of an ensemble's steps
   */
  void collected(TraceSampler sampler, List<RequestTrace> traces);

  /** Other settings have come into force; some traces may still follow. */
  void replaced(TraceSampler sampler);
}
