package io.nereid.server.options;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine.TypeConversionException;

/** The options of the rate limiter. */
public final class RateLimitOptions extends OptionGroup {
  /** The values of {@code --rate-limit}. */
  private enum Mode {
    OFF,
    EXECUTION_COUNT
  }

  private final OptionValue<Mode> mode =
      option("--rate-limit=<mode>", OptionConverters.oneOf(Mode.values()), Mode.OFF)
          .help(
              "off: an instance executes as soon as it has a batch. execution_count: it also waits"
                  + " for the resources of its model's rate_limiter; the instance with the smallest"
                  + " product of executions and priority goes first. Default: off.");

  private final OptionValue<List<ResourceLimit>> resources =
      list("--rate-limit-resource=<name>:<count>[:<device>]", RateLimitOptions::resource)
          .help(
              "Amount of a resource on one device or, without a device, on each; a global resource"
                  + " has it once. Repeatable; resources that are not listed then have none."
                  + " Default: the largest amount that an instance requires.");

  /** A new rate limiter. */
  public RateLimiter limiter() {
    return switch (mode.get()) {
      case OFF -> RateLimiter.OFF;
      case EXECUTION_COUNT -> new ExecutionCountLimiter(resources.get());
    };
  }

  List<ResourceLimit> resources() {
    return List.copyOf(resources.get());
  }

  /** {@code <name>:<count>} or {@code <name>:<count>:<device>}. */
  private static ResourceLimit resource(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length < 2 || parts.length > 3 || parts[0].isEmpty()) {
      throw new TypeConversionException(
          "--rate-limit-resource option format is '<resource_name>:<count>:<device>' or"
              + " '<resource_name>:<count>'. Got "
              + text);
    }
    return new ResourceLimit(
        parts[0],
        OptionConverters.count(parts[1]),
        parts.length == 3 ? OptionalInt.of(OptionConverters.count(parts[2])) : OptionalInt.empty());
  }
}
