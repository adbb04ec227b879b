package io.nereid.engine.telemetry.statistics.latency;

/** The parts of a request's time; {@link #REQUEST} is the whole. */
public enum LatencyPhase {
  /** From arrival to response. */
  REQUEST,
  /** From arrival to the start of the execution. */
  QUEUE,
  COMPUTE_INPUT,
  COMPUTE_INFER,
  COMPUTE_OUTPUT,
  /** The look-up in the response cache, of a request that it answered. */
  CACHE_HIT,
  /** The look-up and the insertion, of a request that the response cache could not answer. */
  CACHE_MISS
}
