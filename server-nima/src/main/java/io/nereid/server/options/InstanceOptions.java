package io.nereid.server.options;

import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.affinity.HostPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of instances: where their threads run, and how they execute. */
public final class InstanceOptions {
  @Option(
      names = "--host-policy",
      paramLabel = "<policy>,<setting>=<value>",
      converter = Converter.class,
      description =
          "Setting of a host policy. cpu-cores=<lower>-<upper>[,...]: the processors on which the"
              + " threads of instances run; numa-node=<node>: the node of their memory. An instance"
              + " has the policy that its group names, else cpu, gpu_<device> or model. Repeatable.")
  private List<Setting> hostPolicies = new ArrayList<>();

  @Option(
      names = "--execution-warning-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Count.class,
      description =
          "While an execution takes longer, the log and the repository index say so, and its model"
              + " is not ready; the execution is not ended. 0 to watch none. Default:"
              + " ${DEFAULT-VALUE}.")
  private int executionWarningSeconds = 0;

  @Option(
      names = "--max-detached-requests",
      paramLabel = "<number>",
      converter = OptionConverters.Positive.class,
      description =
          "An instance begins no further batch while so many requests, or more, are detached: their"
              + " backend answers them after the execution of their batch. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxDetachedRequests = InstanceGroup.MAX_DETACHED;

  /** One value of the option. */
  record Setting(String policy, String setting, String value) {}

  /** {@code <policy>,<setting>=<value>}. */
  static final class Converter implements ITypeConverter<Setting> {
    @Override
    public Setting convert(String text) {
      int comma = text.indexOf(',');
      int equals = text.indexOf('=', comma + 1);
      if (comma <= 0 || equals <= comma + 1 || equals == text.length() - 1) {
        throw new TypeConversionException(
            "--host-policy option format is '<policy name>,<setting>=<value>'. Got " + text);
      }
      var setting =
          new Setting(
              text.substring(0, comma),
              text.substring(comma + 1, equals),
              text.substring(equals + 1));
      try {
        HostPolicy.ANY.with(setting.setting(), setting.value());
        return setting;
      } catch (IllegalArgumentException invalid) {
        throw new TypeConversionException(invalid.getMessage());
      }
    }
  }

  /** The policies by name; the last value of a setting takes precedence. */
  Map<String, HostPolicy> byName() {
    Map<String, HostPolicy> byName = new HashMap<>();
    for (Setting each : hostPolicies) {
      HostPolicy before = byName.getOrDefault(each.policy(), HostPolicy.ANY);
      byName.put(each.policy(), before.with(each.setting(), each.value()));
    }
    return byName;
  }

  /** The longest execution without a warning; zero for any. */
  public Duration executionLimit() {
    return Duration.ofSeconds(executionWarningSeconds);
  }

  /** From so many detached requests on, an instance begins no batch. */
  public int maxDetachedRequests() {
    return maxDetachedRequests;
  }

  /** The host policies; a warning is logged if they have no effect on this machine. */
  public HostPolicies hostPolicies() {
    return HostPolicies.of(byName());
  }
}
