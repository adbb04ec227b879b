package io.nereid.engine.execution;

import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.warmup.Warmup;

/** Settings of groups of instances, with the fewest limits. */
public final class GroupSettings {
  private GroupSettings() {}

  /** Settings of a model without limits and warm-up. */
  public static InstanceGroup.Settings of(ExecutedModel model) {
    return new InstanceGroup.Settings(model, InstanceLimits.NONE, Warmup.none(model.config()));
  }

  /** A rate limiter, and no other limit. */
  public static InstanceLimits limits(RateLimiter limiter) {
    return new InstanceLimits(limiter, HostPolicies.NONE, InstanceLimits.MAX_DETACHED);
  }
}
