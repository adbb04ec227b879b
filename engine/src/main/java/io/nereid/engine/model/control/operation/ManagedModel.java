package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.loading.PolledModel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A model that is to serve: it was loaded, and not unloaded since. One that could not load because
 * of the models that it calls, as an ensemble does, loads as soon as they allow.
 *
 * @param latest as it was found by the latest operation that loaded it
 * @param served as it was when the versions that serve were loaded; null if none does
 * @param explicit whether it was loaded for itself, and not only for an ensemble
 */
public record ManagedModel(PolledModel latest, @Nullable PolledModel served, boolean explicit) {
  /** As it is to serve, and as it serves. */
  Set<PolledModel> forms() {
    return served == null ? Set.of(latest) : new LinkedHashSet<>(List.of(latest, served));
  }

  /** The caller that it is to be, or that serves meanwhile; empty if it calls no other. */
  Optional<PolledModel> caller() {
    return latest.isCaller()
        ? Optional.of(latest)
        : Optional.ofNullable(served).filter(PolledModel::isCaller);
  }

  /** This model with other versions serving, or none. */
  ManagedModel serving(@Nullable PolledModel polled) {
    return new ManagedModel(latest, polled, explicit);
  }
}
