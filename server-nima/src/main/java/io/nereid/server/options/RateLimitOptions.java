package io.nereid.server.options;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of the rate limiter. */
public final class RateLimitOptions {
  /** The values of {@code --rate-limit}. */
  enum Mode {
    OFF,
    EXECUTION_COUNT
  }

  @Option(
      names = "--rate-limit",
      paramLabel = "<mode>",
      converter = OptionConverters.RateLimitMode.class,
      description =
          "off: an instance executes as soon as it has a batch. execution_count: it also waits for"
              + " the resources of its model's rate_limiter; the instance with the smallest product"
              + " of executions and priority goes first. Default: off.")
  private Mode mode = Mode.OFF;

  @Option(
      names = "--rate-limit-resource",
      paramLabel = "<name>:<count>[:<device>]",
      converter = OptionConverters.Resource.class,
      description =
          "Amount of a resource on one device or, without a device, on each; a global resource has"
              + " it once. Repeatable; resources that are not listed then have none. Default: the"
              + " largest amount that an instance requires.")
  private List<ResourceLimit> resources = new ArrayList<>();

  /** A new rate limiter. */
  public RateLimiter limiter() {
    return switch (mode) {
      case OFF -> RateLimiter.OFF;
      case EXECUTION_COUNT -> new ExecutionCountLimiter(resources);
    };
  }

  List<ResourceLimit> resources() {
    return List.copyOf(resources);
  }
}
