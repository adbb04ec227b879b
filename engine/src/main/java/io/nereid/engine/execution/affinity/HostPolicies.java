package io.nereid.engine.execution.affinity;

import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;

/**
 * The host policies of a server, by name. They have an effect on Linux; elsewhere the log says that
 * they have none. Thread-safe.
 */
public final class HostPolicies {
  /** No policies. */
  public static final HostPolicies NONE = of(Map.of());

  private static final System.Logger LOG = System.getLogger(HostPolicies.class.getName());

  private final Map<String, HostPolicy> policies;
  private final Optional<LinuxThread> calls;

  private HostPolicies(Map<String, HostPolicy> policies, Optional<LinuxThread> calls) {
    this.policies = Map.copyOf(policies);
    this.calls = calls;
  }

  /** The policies with these names. */
  public static HostPolicies of(Map<String, HostPolicy> policies) {
    return of(policies, System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
  }

  /** The policies with these names, on a machine of that system and architecture. */
  static HostPolicies of(Map<String, HostPolicy> policies, String system, String architecture) {
    if (policies.isEmpty()) {
      return new HostPolicies(policies, Optional.empty());
    }
    Optional<LinuxThread> calls = LinuxThread.calls(system, architecture);
    if (calls.isEmpty()) {
      LOG.log(Level.WARNING, "host policies have no effect on {0} {1}", system, architecture);
    }
    return new HostPolicies(policies, calls);
  }

  public boolean has(String name) {
    return policies.containsKey(name);
  }

  /**
   * Applies a policy to the calling thread and the threads that it will start; has no effect if
   * there is none of that name.
   *
   * @throws InferenceException INTERNAL if the system rejects it
   */
  public void apply(String name) {
    HostPolicy policy = policies.get(name);
    if (policy == null || calls.isEmpty()) {
      return;
    }
    if (!policy.cores().isEmpty()) {
      calls.get().setAffinity(policy.coreSet());
    }
    policy.numaNode().ifPresent(calls.get()::bindMemory);
  }
}
