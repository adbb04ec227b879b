package io.nereid.engine.model.loading;

import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelVersionPolicy;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * The {@code version_policy}: selects the versions of a model to load. Pure, except for its log.
 */
public final class VersionSelector {
  private static final System.Logger LOG = System.getLogger(VersionSelector.class.getName());

  private VersionSelector() {}

  /**
   * Selects from the versions that exist. A specific version that does not exist is logged.
   *
   * @param available ascending
   * @return ascending, not empty
   * @throws InferenceException if the policy leaves no version
   */
  public static List<Long> select(String model, ModelVersionPolicy policy, List<Long> available) {
    List<Long> selected =
        switch (policy.getPolicyChoiceCase()) {
          case ALL -> available;
          case SPECIFIC -> specific(model, policy.getSpecific().getVersionsList(), available);
          case LATEST -> latest(policy.getLatest().getNumVersions(), available);
          case POLICYCHOICE_NOT_SET -> latest(1, available);
        };
    if (selected.isEmpty()) {
      throw InferenceException.invalid(
          "at least one version must be available under the version policy of model '%s'"
              .formatted(model));
    }
    return selected;
  }

  private static List<Long> latest(int unsignedCount, List<Long> available) {
    long count = Math.min(Integer.toUnsignedLong(unsignedCount), available.size());
    return available.subList(available.size() - (int) count, available.size());
  }

  private static List<Long> specific(String model, List<Long> wanted, List<Long> available) {
    for (long version : wanted) {
      if (!available.contains(version)) {
        LOG.log(
            Level.WARNING,
            "model ''{0}'': version {1} of its version policy does not exist",
            model,
            Long.toString(version));
      }
    }
    return available.stream().filter(wanted::contains).toList();
  }
}
