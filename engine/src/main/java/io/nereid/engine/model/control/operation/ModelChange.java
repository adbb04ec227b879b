package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.model.loading.PolledModel.Origin;
import io.nereid.engine.model.repository.DirectoryChanges;
import io.nereid.protocol.config.ModelConfig;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What has to be done for a polled model to serve in place of the one that serves. */
sealed interface ModelChange {
  /** Nothing: the model serves already. */
  record None() implements ModelChange {}

  /**
   * The configurations differ at most in instances and version policy.
   *
   * @param modified versions whose files differ; others that serve need not be loaded again
   */
  record Update(Set<Long> modified) implements ModelChange {}

  /** All versions have to be loaded. */
  record Reload() implements ModelChange {}

  /**
   * Compares two models of the same name.
   *
   * @param served null if the model does not serve
   */
  static ModelChange between(@Nullable PolledModel served, PolledModel polled) {
    if (served == null) {
      return new Reload();
    }
    if (polled.equals(served)) {
      return new None();
    }
    Optional<DirectoryChanges> changes =
        served.contents().flatMap(before -> polled.contents().map(now -> now.changesSince(before)));
    boolean fromRepository = polled.origin() instanceof Origin.Repository;
    boolean servesRepository = !(served.origin() instanceof Origin.FileOverride);
    boolean isSame = changes.filter(DirectoryChanges::isEmpty).isPresent();
    if (fromRepository && servesRepository && isSame) {
      return new None(); // also if a client's configuration serves, until a file changes
    }
    if (polled.isEnsemble()
        || !polled.directory().equals(served.directory())
        || !withoutInstances(polled.config().message())
            .equals(withoutInstances(served.config().message()))) {
      return new Reload();
    }
    return changes
        .filter(each -> !each.others())
        .<ModelChange>map(each -> new Update(each.versions()))
        .orElseGet(Reload::new);
  }

  private static ModelConfig withoutInstances(ModelConfig config) {
    return config.toBuilder().clearInstanceGroup().clearVersionPolicy().build();
  }
}
