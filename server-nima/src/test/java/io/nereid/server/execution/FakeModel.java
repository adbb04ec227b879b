package io.nereid.server.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A model whose instances do what a test says, and which counts them.
 *
 * @param onOpen by instance name, run while it is opened; may throw
 * @param onExecute run for each batch, on the instance's thread
 */
record FakeModel(
    Map<String, Runnable> onOpen,
    Execution onExecute,
    AtomicInteger opened,
    AtomicInteger closed,
    AtomicInteger executions,
    Set<String> threads)
    implements Model {
  /** What an instance does. */
  @FunctionalInterface
  interface Execution {
    void run(String instance, Batch batch, Results results);
  }

  static FakeModel executing(Execution execution) {
    return opening(Map.of(), execution);
  }

  static FakeModel opening(Map<String, Runnable> onOpen, Execution execution) {
    return new FakeModel(
        onOpen,
        execution,
        new AtomicInteger(),
        new AtomicInteger(),
        new AtomicInteger(),
        ConcurrentHashMap.newKeySet());
  }

  /** Answers with nothing at all. */
  static Execution answering() {
    return (_, _, _) -> {};
  }

  /** Runs {@code first} for the first batch only. */
  static Execution once(Consumer<Results> first) {
    var done = new AtomicInteger();
    return (_, _, results) -> {
      if (done.getAndIncrement() == 0) {
        first.accept(results);
      }
    };
  }

  static InstanceSettings settings(String name, boolean passive) {
    return new InstanceSettings(
        name, InstanceSettings.Kind.KIND_CPU, 0, java.util.List.of(), passive);
  }

  @Override
  public ModelInstance open(InstanceSettings settings) {
    onOpen.getOrDefault(settings.name(), () -> {}).run();
    opened.incrementAndGet();
    String thread = Thread.currentThread().getName();
    threads.add(thread);
    return new ModelInstance() {
      @Override
      public void execute(Batch batch, Results results) {
        executions.incrementAndGet();
        onlyBy(thread);
        onExecute.run(settings.name(), batch, results);
      }

      @Override
      public void close() {
        onlyBy(thread);
        closed.incrementAndGet();
      }
    };
  }

  private static void onlyBy(String thread) {
    if (!Thread.currentThread().getName().equals(thread)) {
      throw new AssertionError("called by another thread than " + thread);
    }
  }

  @Override
  public void close() {}
}
