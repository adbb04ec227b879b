package io.nereid.config;

import java.util.List;

/**
 * {@code rate_limiter}: the resources that an instance acquires before each execution, if the
 * server's rate limiter is on.
 *
 * @param resources as configured; a name may appear twice
 * @param priority 0 or more. The instance with the smaller product of executions and priority runs
 *     first, so an instance of priority 2 runs half as often as one of priority 1; 0 counts as 1
 */
public record RateLimiterSettings(List<Resource> resources, long priority) {
  /** No resources and the default priority. */
  public static final RateLimiterSettings NONE = new RateLimiterSettings(List.of(), 0);

  public RateLimiterSettings {
    resources = List.copyOf(resources);
  }

  /**
   * An amount of one resource.
   *
   * @param global whether all devices share the resource; otherwise each device has its own
   */
  public record Resource(String name, boolean global, long count) {}
}
