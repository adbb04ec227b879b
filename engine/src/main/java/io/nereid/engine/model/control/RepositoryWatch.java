package io.nereid.engine.model.control;

import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.control.operation.ManagedModel;
import io.nereid.engine.model.control.operation.ModelOperations;
import io.nereid.engine.model.control.operation.RepositoryScan;
import io.nereid.engine.model.control.operation.RepositoryScan.Result;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.model.repository.RepositoryContents;
import io.nereid.engine.model.repository.SettledContents;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.telemetry.jfr.RepositoryPollEvent;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.engine.thread.Uninterrupted;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Poll mode: compares the repositories with what serves, again and again. A model is acted upon
 * once its contents have settled; see {@link SettledContents}. Used by one thread at a time.
 */
final class RepositoryWatch implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(RepositoryWatch.class.getName());

  private record Watched(ModelRepository repository, SettledContents settled) {}

  private final ThreadGuard guard = new ThreadGuard("repository poll");
  private final RepositoryScan scan;
  private final ModelOperations operations;
  private final BiConsumer<ModelId, InferenceException> onUnreadable;

  /** In the order of the repositories. */
  private final List<Watched> watched = new ArrayList<>();

  /** What has failed to load as it was found, and is not tried again until it changes. */
  private final Map<ModelId, DirectoryContents> failing = new HashMap<>();

  private @Nullable Thread thread;

  /**
   * @param onUnreadable receives what cannot be polled, and why
   */
  RepositoryWatch(
      RepositoryScan scan,
      ModelOperations operations,
      BiConsumer<ModelId, InferenceException> onUnreadable) {
    this.scan = scan;
    this.operations = operations;
    this.onUnreadable = onUnreadable;
  }

  /**
   * Takes what is in the repositories as settled, before it is loaded.
   *
   * @throws InferenceException if a repository cannot be read
   */
  void begin() {
    for (ModelRepository repository : scan.repositories()) {
      watched.add(new Watched(repository, new SettledContents(repository.contents())));
    }
  }

  /** Takes what failed in the load of what {@link #begin} has found as failing. */
  void began(ModelOperations.Report report) {
    Map<ModelId, DirectoryContents> found = new HashMap<>();
    for (Watched each : watched) {
      each.settled()
          .models()
          .forEach((name, contents) -> found.put(scan.id(each.repository(), name), contents));
    }
    keepFailing(report, found);
  }

  private void keepFailing(ModelOperations.Report report, Map<ModelId, DirectoryContents> found) {
    failing.keySet().removeAll(report.found());
    for (ModelId id : report.failing()) {
      DirectoryContents contents = found.get(id);
      if (contents != null) {
        failing.put(id, contents);
      }
    }
  }

  /** Polls in intervals until {@link #close}; never if the interval is zero. */
  void start(Duration interval) {
    if (interval.isPositive()) {
      thread = Thread.ofPlatform().daemon().name("repository poll").start(() -> run(interval));
    }
  }

  private void run(Duration interval) {
    try {
      while (!Thread.interrupted()) {
        Thread.sleep(interval);
        guard.run(this::poll);
      }
    } catch (InterruptedException closed) {
      LOG.log(Level.DEBUG, "polling ends", closed);
    }
  }

  /** Loads and unloads what has changed and settled since the last poll. */
  void poll() {
    RepositoryPollEvent event = FlightEvents.poll();
    Map<ModelId, DirectoryContents> found = new TreeMap<>();
    Set<ModelId> unsettled = new TreeSet<>();
    Set<ModelId> duplicates = new TreeSet<>();
    for (Watched each : watched) {
      Map<String, DirectoryContents> present = look(each);
      Map<String, DirectoryContents> settled = each.settled().models();
      settled.forEach((name, contents) -> {
        ModelId id = scan.id(each.repository(), name);
        if (found.put(id, contents) != null) {
          duplicates.add(id);
        }
      });
      Set<String> names = new TreeSet<>(settled.keySet());
      names.addAll(present.keySet());
      names.stream()
          .filter(name -> !Objects.equals(settled.get(name), present.get(name)))
          .forEach(name -> unsettled.add(scan.id(each.repository(), name)));
    }
    duplicates.forEach(found::remove);
    apply(found, unsettled, event);
  }

  /** What is in a repository now, which may settle; empty if it cannot be read. */
  private static Map<String, DirectoryContents> look(Watched watched) {
    try {
      RepositoryContents now = watched.repository().contents();
      now.unreadable()
          .forEach((model, failure) ->
              LOG.log(
                  Level.ERROR, "model ''{0}'' stays as it is: {1}", model, failure.getMessage()));
      watched.settled().observe(now);
      return now.models();
    } catch (InferenceException unreadable) {
      LOG.log(
          Level.ERROR, "polling failed, its models stay as they are: {0}", unreadable.getMessage());
      return Map.of();
    }
  }

  /**
   * Unloads what was not found and loads what has changed.
   *
   * @param found settled contents by model
   * @param unsettled the models whose contents are others at present
   * @param event of this poll; null if it is not recorded
   */
  private void apply(
      Map<ModelId, DirectoryContents> found,
      Set<ModelId> unsettled,
      @Nullable RepositoryPollEvent event) {
    Map<ModelId, ManagedModel> managed = operations.managed();
    Set<ModelId> removed = new TreeSet<>(managed.keySet());
    removed.removeAll(found.keySet());
    removed.removeAll(unsettled);
    failing.keySet().retainAll(found.keySet());
    Set<String> changed = new TreeSet<>();
    found.forEach((id, contents) -> {
      ManagedModel model = managed.get(id);
      PolledModel served = model == null ? null : model.served();
      boolean serves =
          served != null
              && !isChanged(served.contents().orElse(null), contents)
              && !operations.hasFailures(id);
      if (!serves && !unsettled.contains(id) && isChanged(failing.get(id), contents)) {
        changed.add(id.name());
      }
    });
    if (event != null) {
      event.record(found.size(), removed.size() + changed.size());
    }
    if (!removed.isEmpty()) {
      operations.unload(removed, false);
    }
    if (!changed.isEmpty()) {
      ModelOperations.Report report =
          operations.load(
              changed, name -> settled(scan.read(name), found), false, Optional.empty());
      report.unreadable().forEach(onUnreadable);
      keepFailing(report, found);
    }
  }

  private static boolean isChanged(@Nullable DirectoryContents before, DirectoryContents contents) {
    return before == null || !contents.changesSince(before).isEmpty();
  }

  /** Leaves out models whose files were changed since the poll began: the next polls see that. */
  private Map<ModelId, Result> settled(
      Map<ModelId, Result> results, Map<ModelId, DirectoryContents> found) {
    Map<ModelId, Result> settled = new TreeMap<>();
    results.forEach((id, result) -> {
      if (result instanceof Result.Found(PolledModel model)
          && !model.contents().equals(Optional.ofNullable(found.get(id)))) {
        scan.discard(model);
      } else {
        settled.put(id, result);
      }
    });
    return settled;
  }

  /** Has polling end after the poll that runs, without waiting for it. */
  void end() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** Ends polling, and waits for the poll that runs. */
  @Override
  public void close() {
    end();
    Thread running = thread;
    if (running != null) {
      Uninterrupted.until(() -> !running.isAlive(), running::join);
    }
  }
}
