package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.scheduling.policy.SchedulingPolicy;

/** A configured scheduler, twice: as it is, and as the specification describes it. */
interface Subject {
  /** The policy under test. */
  SchedulingPolicy policy();

  /** Its naive model. */
  SchedulingPolicy reference();

  /** The most rows of a batch of more than one request. */
  int maxRows();

  /** Whether a sequence has the same row in each batch. */
  default boolean hasFixedRows() {
    return false;
  }

  /** Whether requests may run again and again. */
  default boolean isIterative() {
    return false;
  }
}
