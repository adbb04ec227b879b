package io.nereid.engine.model;

/** What a server needs of its models to be ready, once it accepts requests. */
public enum Readiness {
  /** Nothing. */
  ACCEPTING,

  /**
   * That all models serve once, those of the start; from then on, that what serves is healthy: a
   * load that runs or fails changes nothing for clients.
   */
  SERVING,

  /** That all models serve, also those whose load runs or has failed: as Triton does. */
  EVERY_MODEL
}
