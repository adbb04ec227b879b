package io.nereid.server.options;

import io.nereid.engine.execution.InstanceLimits;
import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.affinity.HostPolicy;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.server.options.declaration.NamedSetting;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.TypeConversionException;

/** The options of instances: where their threads run, and how they execute. */
public final class InstanceOptions extends OptionGroup {
  private final OptionValue<List<NamedSetting>> hostPolicies =
      list("--host-policy=<policy>,<setting>=<value>", InstanceOptions::setting)
          .help(
              "Setting of a host policy. cpu-cores=<lower>-<upper>[,...]: the processors on which"
                  + " the threads of instances run; numa-node=<node>: the node of their memory. An"
                  + " instance has the policy that its group names, else cpu, gpu_<device> or model."
                  + " Repeatable.");

  private final OptionValue<Duration> executionWarning =
      timeOrZero("--execution-warning-secs=<seconds>", Duration.ZERO)
          .help(
              "While an execution takes longer, the log and the repository index say so, and its"
                  + " model is not ready; the execution is not ended. 0 to watch none.");

  private final OptionValue<Integer> maxDetachedRequests =
      positive("--max-detached-requests=<number>", InstanceLimits.MAX_DETACHED)
          .help(
              "An instance begins no further batch while so many requests, or more, are detached:"
                  + " their backend answers them after the execution of their batch.");

  /** {@code <policy>,<setting>=<value>}. */
  private static NamedSetting setting(String text) {
    NamedSetting setting =
        NamedSetting.parse(text)
            .filter(parsed -> !parsed.value().isEmpty())
            .orElseThrow(() ->
                new TypeConversionException(
                    "--host-policy option format is '<policy name>,<setting>=<value>'. Got "
                        + text));
    try {
      var _ = HostPolicy.ANY.with(setting.key(), setting.value());
      return setting;
    } catch (IllegalArgumentException invalid) {
      throw new TypeConversionException(invalid.getMessage());
    }
  }

  /** The policies by name; the last value of a setting takes precedence. */
  Map<String, HostPolicy> byName() {
    Map<String, HostPolicy> byName = new HashMap<>();
    for (NamedSetting each : hostPolicies.get()) {
      HostPolicy before = byName.getOrDefault(each.name(), HostPolicy.ANY);
      byName.put(each.name(), before.with(each.key(), each.value()));
    }
    return byName;
  }

  /** The longest execution without a warning; zero for any. */
  public Duration executionLimit() {
    return executionWarning.get();
  }

  /**
   * The limits of instances; a warning is logged if host policies have no effect on this machine.
   */
  public InstanceLimits limits(RateLimiter limiter) {
    return new InstanceLimits(limiter, HostPolicies.of(byName()), maxDetachedRequests.get());
  }
}
