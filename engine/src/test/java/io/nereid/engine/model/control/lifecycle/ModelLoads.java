package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.gate.Gate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * What the backend {@code lifecycle} does with one model: each copy that it loaded, and the calls
 * that a test holds or fails. May be set up before the model is loaded. From any thread.
 */
final class ModelLoads {
  /** Where a call can be held or fail. */
  enum Point {
    LOAD,
    ALLOCATOR,
    OPEN,
    EXECUTE,
    CLOSE_INSTANCE,
    CLOSE
  }

  /** A call for a version. */
  private record Call(Point point, long version) {}

  private static final Map<String, ModelLoads> MODELS = new ConcurrentHashMap<>();
  private static final long MAX_WAIT_NANOS = Duration.ofSeconds(60).toNanos();

  private final String model;
  private final List<Copy> copies = new ArrayList<>();
  private final Set<Call> held = new HashSet<>();
  private final List<Call> waiting = new ArrayList<>();
  private final Map<Call, Throwable> failures = new HashMap<>();
  private final Map<Call, Runnable> actions = new ConcurrentHashMap<>();
  private volatile boolean healthy = true;
  private volatile Optional<String> failureReason = Optional.empty();

  private ModelLoads(String model) {
    this.model = model;
  }

  static ModelLoads of(String model) {
    return MODELS.computeIfAbsent(model, ModelLoads::new);
  }

  /** Lets all calls and executions of all models pass. */
  static void releaseAll() {
    MODELS.values().forEach(ModelLoads::releaseHeld);
    MODELS.keySet().forEach(model -> Gate.of(model).tearDown());
  }

  /** Fails unless each copy of each model was closed once, with all its instances. */
  static void assertAllClosed() {
    for (ModelLoads loads : MODELS.values()) {
      assertThat(loads.copies()).as(loads.model).allMatch(Copy::isClosedOnce);
    }
  }

  /** Forgets all models, and their gates. */
  static void forgetAll() {
    MODELS.keySet().forEach(Gate::forget);
    MODELS.clear();
  }

  private synchronized void releaseHeld() {
    held.clear();
    notifyAll();
  }

  /** Holds these calls until {@link #release}. */
  synchronized void hold(Point point, long version) {
    held.add(new Call(point, version));
  }

  synchronized void release(Point point, long version) {
    held.remove(new Call(point, version));
    notifyAll();
  }

  /** Waits until a call is held. */
  synchronized void awaitHeld(Point point, long version) {
    await(() -> isWaiting(point, version), point + " of version " + version);
  }

  /** Whether a call is held. */
  synchronized boolean isWaiting(Point point, long version) {
    return waiting.contains(new Call(point, version));
  }

  /** Fails these calls until {@link #succeed}. */
  synchronized void fail(Point point, long version, Throwable failure) {
    failures.put(new Call(point, version), failure);
  }

  synchronized void succeed(Point point, long version) {
    failures.remove(new Call(point, version));
  }

  /** Runs an action in each of these calls, before it is held. */
  void run(Point point, long version, Runnable action) {
    actions.put(new Call(point, version), action);
  }

  /** Sets what the instances say about their health. */
  void healthy(boolean isHealthy) {
    healthy = isHealthy;
  }

  /** Has the instances not be healthy, and say why. */
  void unhealthy(String reason) {
    failureReason = Optional.of(reason);
    healthy = false;
  }

  Optional<String> failureReason() {
    return failureReason;
  }

  boolean isHealthy() {
    return healthy;
  }

  /** All copies that were to be loaded, in that order. */
  synchronized List<Copy> copies() {
    return List.copyOf(copies);
  }

  /** The copies of a version. */
  List<Copy> copies(long version) {
    return copies().stream().filter(copy -> copy.version() == version).toList();
  }

  /** The copy that executed a request. */
  Copy executor(String id) {
    List<Copy> executors = copies().stream().filter(copy -> copy.executed().contains(id)).toList();
    assertThat(executors).as("executors of '%s'", id).hasSize(1);
    return executors.getFirst();
  }

  /** Waits until a copy is loaded and closed. */
  synchronized void awaitClosed(Copy copy) {
    await(() -> copy.loaded && copy.isClosedOnce(), copy + " to close");
  }

  /** Waits until a copy of a version is loaded, with one instance at least. */
  synchronized void awaitLoaded(long version) {
    await(
        () -> copies(version).stream().anyMatch(copy -> copy.openInstances() > 0),
        "version %d to load".formatted(version));
  }

  synchronized Copy begin(Path directory, long version) {
    var copy = new Copy(directory, version);
    copies.add(copy);
    return copy;
  }

  /** A call arrives: it waits while it is held, and fails if it is to fail. */
  void reach(Point point, long version) {
    var call = new Call(point, version);
    actions.getOrDefault(call, () -> {}).run();
    pass(call);
  }

  private synchronized void pass(Call call) {
    waiting.add(call);
    notifyAll();
    while (held.contains(call)) {
      try {
        wait();
      } catch (InterruptedException stopped) {
        throw new IllegalStateException("interrupted at " + call, stopped);
      }
    }
    waiting.remove(call);
    switch (failures.get(call)) {
      case null -> {}
      case RuntimeException failure -> throw failure;
      case Error failure -> throw failure;
      case Throwable checked -> throw new IllegalArgumentException(checked);
    }
  }

  private void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + MAX_WAIT_NANOS;
    try {
      while (!condition.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new AssertionError("waited for %s: %s".formatted(what, this));
        }
        wait(left / 1_000_000 + 1);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted, waiting for " + what, stopped);
    }
  }

  @Override
  public synchronized String toString() {
    return "%s: copies %s, held %s, waiting %s".formatted(model, copies, held, waiting);
  }

  /** One loaded copy of a version. Guarded by the model's {@link ModelLoads}. */
  final class Copy {
    private final Path directory;
    private final long version;
    private final List<String> executed = new ArrayList<>();
    private boolean loaded;
    private int openInstances;
    private int openedInstances;
    private int closes;

    private Copy(Path directory, long version) {
      this.directory = directory;
      this.version = version;
    }

    /** The model's directory that it was loaded from. */
    Path directory() {
      return directory;
    }

    long version() {
      return version;
    }

    int openInstances() {
      synchronized (ModelLoads.this) {
        return openInstances;
      }
    }

    /** How many instances were opened, closed ones included. */
    int openedInstances() {
      synchronized (ModelLoads.this) {
        return openedInstances;
      }
    }

    /** The ids of the requests that it has begun to execute. */
    List<String> executed() {
      synchronized (ModelLoads.this) {
        return List.copyOf(executed);
      }
    }

    /** Whether it was closed exactly once, after its instances; or was never loaded. */
    boolean isClosedOnce() {
      synchronized (ModelLoads.this) {
        return openInstances == 0 && closes == (loaded ? 1 : 0);
      }
    }

    void loaded() {
      synchronized (ModelLoads.this) {
        loaded = true;
      }
    }

    void opened() {
      synchronized (ModelLoads.this) {
        openInstances++;
        openedInstances++;
        ModelLoads.this.notifyAll();
      }
    }

    void executes(List<String> ids) {
      synchronized (ModelLoads.this) {
        assertThat(closes).as("closes of a copy that executes").isZero();
        executed.addAll(ids);
      }
    }

    void instanceClosed() {
      synchronized (ModelLoads.this) {
        openInstances--;
        ModelLoads.this.notifyAll();
      }
    }

    void closed() {
      synchronized (ModelLoads.this) {
        assertThat(openInstances).as("open instances of a closed model").isZero();
        closes++;
        ModelLoads.this.notifyAll();
      }
    }

    @Override
    public String toString() {
      synchronized (ModelLoads.this) {
        return "%s version %d (%d of %d instances open, closed %d times, executed %s)"
            .formatted(model, version, openInstances, openedInstances, closes, executed);
      }
    }
  }
}
