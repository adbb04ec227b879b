package io.nereid.engine.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The model of unit tests: its instances execute a test's {@link Work}, count calls, and fail if
 * two threads call the same instance. Tests of a whole server use the TCK's {@code gate} backend.
 *
 * @param onOpen run before the instance of that name is opened; may throw
 * @param work executed for each batch
 * @param runsOnAnyThread whether other threads than the instance's may execute batches
 * @param hasBoundedTime whether threads for which others wait may
 */
public record FakeModel(
    Map<String, Runnable> onOpen,
    Work work,
    boolean runsOnAnyThread,
    boolean hasBoundedTime,
    AtomicInteger opened,
    AtomicInteger closed,
    AtomicInteger executions,
    Set<String> threads)
    implements Model {
  /** Responds to all requests without outputs. */
  public static final Work EMPTY_RESPONSES = (_, _, _) -> {};

  /** What an instance does with a batch. */
  @FunctionalInterface
  public interface Work {
    void execute(InstanceSettings instance, Batch batch, Results results);
  }

  public static FakeModel executing(Work work) {
    return opening(Map.of(), work);
  }

  static FakeModel opening(Map<String, Runnable> onOpen, Work work) {
    return opening(onOpen, work, false);
  }

  /** A model whose batches may be executed by any thread. */
  static FakeModel onAnyThread(Work work) {
    return opening(Map.of(), work, true);
  }

  /** The same, also by threads for which others wait. */
  static FakeModel inBoundedTime(Work work) {
    return opening(Map.of(), work, true, true);
  }

  private static FakeModel opening(
      Map<String, Runnable> onOpen, Work work, boolean runsOnAnyThread) {
    return opening(onOpen, work, runsOnAnyThread, false);
  }

  private static FakeModel opening(
      Map<String, Runnable> onOpen, Work work, boolean runsOnAnyThread, boolean hasBoundedTime) {
    return new FakeModel(
        onOpen,
        work,
        runsOnAnyThread,
        hasBoundedTime,
        new AtomicInteger(),
        new AtomicInteger(),
        new AtomicInteger(),
        ConcurrentHashMap.newKeySet());
  }

  /** A model whose instance of that name cannot be opened. */
  static FakeModel failingToOpen(String instance, Supplier<RuntimeException> failure) {
    Runnable failing =
        () -> {
          throw failure.get();
        };
    return opening(Map.of(instance, failing), EMPTY_RESPONSES);
  }

  /** Fails every batch. */
  static Work failing(InferenceException failure) {
    return (_, _, _) -> {
      throw failure;
    };
  }

  /** Runs {@code first} for the first batch only. */
  static Work once(Consumer<Results> first) {
    var done = new AtomicBoolean();
    return (_, _, results) -> {
      if (!done.getAndSet(true)) {
        first.accept(results);
      }
    };
  }

  /** The settings of an instance on the CPU. */
  public static InstanceSettings instance(String name) {
    return instance(name, false);
  }

  static InstanceSettings instance(String name, boolean passive) {
    return new InstanceSettings(name, InstanceSettings.Kind.KIND_CPU, 0, List.of(), passive);
  }

  @Override
  public ModelInstance open(InstanceSettings settings) {
    onOpen.getOrDefault(settings.name(), () -> {}).run();
    opened.incrementAndGet();
    Thread owner = Thread.currentThread();
    threads.add(owner.getName());
    return new ModelInstance() {
      @Override
      public void execute(Batch batch, Results results) {
        executions.incrementAndGet();
        if (!runsOnAnyThread) {
          requireCalledBy(owner);
        }
        work.execute(settings, batch, results);
      }

      @Override
      public boolean runsOnAnyThread() {
        return runsOnAnyThread;
      }

      @Override
      public boolean hasBoundedTime() {
        return hasBoundedTime;
      }

      @Override
      public void close() {
        requireCalledBy(owner);
        closed.incrementAndGet();
      }
    };
  }

  private static void requireCalledBy(Thread owner) {
    if (!Thread.currentThread().equals(owner)) {
      throw new AssertionError("called by another thread than " + owner);
    }
  }

  @Override
  public void close() {}
}
