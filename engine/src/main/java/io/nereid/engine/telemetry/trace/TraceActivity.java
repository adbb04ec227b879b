package io.nereid.engine.telemetry.trace;

/** What happened at a time of a request. */
public sealed interface TraceActivity permits TracePoint, TraceActivity.OfBackend {
  /** The name in traces. */
  String label();

  /** An activity of a backend, by the name that it gave. */
  record OfBackend(String label) implements TraceActivity {}
}
