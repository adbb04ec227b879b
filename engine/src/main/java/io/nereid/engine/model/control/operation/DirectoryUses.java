package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.loading.PolledModel;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The directories that models were polled from, and what uses them: the models that are to serve,
 * since ensembles may be loaded again as they were polled, and the versions that were loaded, until
 * they are closed. A directory that nothing uses is released. Thread-safe.
 */
final class DirectoryUses {
  private final Supplier<Collection<ManagedModel>> managed;
  private final Consumer<PolledModel> release;

  /** By identity: equal ones are results of several polls, and released separately. */
  private final Set<PolledModel> polls = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Map<LoadedModel, PolledModel> loaded = new HashMap<>();

  /**
   * @param managed the models that are to serve at present
   * @param release ends the use of a directory; called once for each poll
   */
  DirectoryUses(Supplier<Collection<ManagedModel>> managed, Consumer<PolledModel> release) {
    this.managed = managed;
    this.release = release;
  }

  /**
   * Adds a poll, unless it was added before.
   *
   * @param versions those that serve since; the new ones of them were loaded from the directory
   */
  synchronized void add(PolledModel polled, Collection<LoadedModel> versions) {
    polls.add(polled);
    versions.forEach(version -> loaded.putIfAbsent(version, polled));
  }

  /** Releases what is not used, now that a version is closed. */
  synchronized void closed(LoadedModel version) {
    loaded.remove(version);
    release();
  }

  /** Releases what is not used. */
  synchronized void release() {
    Set<PolledModel> used = Collections.newSetFromMap(new IdentityHashMap<>());
    for (ManagedModel model : managed.get()) {
      used.add(model.latest());
      if (model.served() != null) {
        used.add(model.served());
      }
    }
    used.addAll(loaded.values());
    for (PolledModel poll : List.copyOf(polls)) {
      if (!used.contains(poll)) {
        polls.remove(poll);
        release.accept(poll);
      }
    }
  }
}
