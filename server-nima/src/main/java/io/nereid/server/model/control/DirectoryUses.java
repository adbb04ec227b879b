package io.nereid.server.model.control;

import io.nereid.server.model.LoadedModel;
import io.nereid.server.model.loading.PolledModel;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
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
  /** One poll; equal ones of the same directory are released separately. */
  private static final class Poll {
    private final PolledModel model;

    Poll(PolledModel model) {
      this.model = model;
    }
  }

  private final Supplier<Collection<ManagedModel>> managed;
  private final Consumer<PolledModel> release;
  private final Set<Poll> polls = new HashSet<>();
  private final Map<LoadedModel, Poll> loaded = new HashMap<>();

  /**
   * @param managed the models that are to serve at present
   * @param release ends the use of a directory; called once for each poll
   */
  DirectoryUses(Supplier<Collection<ManagedModel>> managed, Consumer<PolledModel> release) {
    this.managed = managed;
    this.release = release;
  }

  /**
   * Adds a poll.
   *
   * @param versions those that serve since; the new ones of them were loaded from the directory
   */
  synchronized void add(PolledModel polled, Collection<LoadedModel> versions) {
    var poll = new Poll(polled);
    polls.add(poll);
    versions.forEach(version -> loaded.putIfAbsent(version, poll));
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
    loaded.values().forEach(poll -> used.add(poll.model));
    for (Poll poll : Set.copyOf(polls)) {
      if (!used.contains(poll.model)) {
        polls.remove(poll);
        release.accept(poll.model);
      }
    }
  }
}
