package io.nereid.server.model.control;

import io.nereid.server.model.loading.PolledModel;
import org.jspecify.annotations.Nullable;

/**
 * A model that is to serve: it was loaded, and not unloaded since. An ensemble that could not load
 * because of its composing models loads as soon as they allow.
 *
 * @param latest as it was found by the latest operation that loaded it
 * @param served as it was when the versions that serve were loaded; null if none does
 * @param explicit whether it was loaded for itself, and not only for an ensemble
 */
record ManagedModel(PolledModel latest, @Nullable PolledModel served, boolean explicit) {
  /** This model with other versions serving, or none. */
  ManagedModel serving(@Nullable PolledModel polled) {
    return new ManagedModel(latest, polled, explicit);
  }
}
