package io.nereid.engine.execution;

import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.ratelimit.RateLimiter;

/**
 * The limits within which instances run.
 *
 * @param rates limits all but passive instances
 * @param hostPolicies applied to the threads of instances
 * @param maxDetached from so many detached requests on, an instance begins no batch; at least 1
 */
public record InstanceLimits(RateLimiter rates, HostPolicies hostPolicies, int maxDetached) {
  /** Detached requests with which an instance begins no batch, unless configured otherwise. */
  public static final int MAX_DETACHED = 1000;

  /** No other limit. */
  public static final InstanceLimits NONE =
      new InstanceLimits(RateLimiter.OFF, HostPolicies.NONE, MAX_DETACHED);

  /** Whether there is a rate limiter: then an instance that has executed is not ready again. */
  boolean hasRates() {
    return !rates.equals(RateLimiter.OFF);
  }
}
