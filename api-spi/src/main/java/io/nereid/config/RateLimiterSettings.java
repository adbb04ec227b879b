package io.nereid.config;

import java.util.List;

/**
 * What an instance asks of the server's rate limiter, where that is on.
 *
 * @param resources what it holds while it runs, as configured: names may be there twice
 * @param priority 0 or more; of two instances the one with fewer executions times priority goes
 *     first, so 2 gets half as often its turn as 1. 0 counts as 1
 */
public record RateLimiterSettings(List<Resource> resources, long priority) {
  /** No resources, and the priority of everybody. */
  public static final RateLimiterSettings NONE = new RateLimiterSettings(List.of(), 0);

  public RateLimiterSettings {
    resources = List.copyOf(resources);
  }

  /**
   * So much of a resource.
   *
   * @param global whether the server has it; else each device has its own
   */
  public record Resource(String name, boolean global, long count) {}
}
