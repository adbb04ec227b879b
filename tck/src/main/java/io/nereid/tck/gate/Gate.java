package io.nereid.tck.gate;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.tck.support.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * The gate of one model: every execution is recorded as it begins, and waits here until the test
 * opens the gate for it. Closed at first; may be set up and opened before the model is loaded. From
 * any thread.
 *
 * <p>A wait that lasts longer than a minute fails with a description of what was recorded.
 */
public final class Gate {
  private static final Map<String, Gate> GATES = new ConcurrentHashMap<>();
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private enum Stage {
    AT_THE_GATE,
    RUNNING,
    /** It has responded to its requests, one of which is {@link Reply#held}. */
    HELD,
    ENDED
  }

  private final String model;
  private final List<InstanceSettings> instances = new ArrayList<>();
  private final List<Execution> executions = new ArrayList<>();

  /** Of each execution, by its number. */
  private final List<Stage> stages = new ArrayList<>();

  private final Map<String, Reply> replies = new HashMap<>();
  private final Set<String> released = new HashSet<>();
  private final Permits permits = new Permits();
  private boolean tornDown;

  private Gate(String model) {
    this.model = model;
  }

  /** The gate of the model of that name, for all versions. */
  public static Gate of(String model) {
    return GATES.computeIfAbsent(model, Gate::new);
  }

  /** Drops a gate whose model is gone; a model of that name gets another one. */
  public static void forget(String model) {
    GATES.remove(model);
  }

  /** Sets the reply to the request with that id, for each of its executions. */
  public synchronized void reply(String requestId, Reply reply) {
    replies.put(requestId, reply);
  }

  /** Lets so many executions pass, on any instance. */
  public synchronized void open(int count) {
    permits.add(count);
    notifyAll();
  }

  /** Lets so many executions of one instance pass. */
  public synchronized void open(String instance, int count) {
    permits.add(instance, count);
    notifyAll();
  }

  /** Lets every execution pass, now and later. */
  public synchronized void openAll() {
    permits.addAll();
    notifyAll();
  }

  /** Ends an execution that {@link Reply#held} keeps after it has responded to that request. */
  public synchronized void release(String requestId) {
    released.add(requestId);
    notifyAll();
  }

  /** Lets everything pass and end, now and later, so that the model can be closed. */
  public synchronized void tearDown() {
    permits.addAll();
    tornDown = true;
    notifyAll();
  }

  /** The instances that have been opened, in no particular order. */
  public synchronized List<InstanceSettings> instances() {
    return List.copyOf(instances);
  }

  /** All executions so far, in the order in which they began. */
  public synchronized List<Execution> executions() {
    return List.copyOf(executions);
  }

  /** The executions that have begun and not ended, whether the gate holds them or not. */
  public synchronized List<Execution> running() {
    return executions.stream()
        .filter(execution -> stages.get(execution.number()) != Stage.ENDED)
        .toList();
  }

  /** Waits until so many executions have begun in all; returns all of them. */
  public synchronized List<Execution> awaitBegun(int count) {
    await(() -> executions.size() >= count, "%d executions to begin".formatted(count));
    return List.copyOf(executions);
  }

  /** Waits until so many executions have ended in all. */
  public synchronized void awaitEnded(int count) {
    await(
        () -> stages.stream().filter(Stage.ENDED::equals).count() >= count,
        "%d executions to end".formatted(count));
  }

  /** The executions that go on only if the test does something about it. */
  public synchronized List<Execution> held() {
    return executions.stream()
        .filter(execution ->
            switch (stages.get(execution.number())) {
              case AT_THE_GATE -> !permits.has(execution.instance());
              case HELD -> !isReleased(execution);
              case RUNNING, ENDED -> false;
            })
        .toList();
  }

  synchronized void opened(InstanceSettings instance) {
    instances.add(instance);
  }

  /**
   * Records an execution and holds it until the gate is open for it.
   *
   * @param recorder makes the record from the execution's number
   */
  synchronized Execution enter(IntFunction<Execution> recorder) {
    Execution execution = recorder.apply(executions.size());
    executions.add(execution);
    stages.add(Stage.AT_THE_GATE);
    notifyAll();
    try {
      hold(() -> permits.take(execution.instance()));
    } catch (RuntimeException stopped) {
      leave(execution);
      throw stopped;
    }
    stages.set(execution.number(), Stage.RUNNING);
    return execution;
  }

  synchronized Reply replyTo(String requestId) {
    return replies.getOrDefault(requestId, Reply.ECHO);
  }

  /** How many executions have begun that hold the request with that id. */
  synchronized long timesBegun(String requestId) {
    return executions.stream().filter(execution -> execution.ids().contains(requestId)).count();
  }

  /** Holds an execution that has responded until the requests that hold it are released. */
  synchronized void awaitRelease(Execution execution) {
    stages.set(execution.number(), Stage.HELD);
    notifyAll();
    hold(() -> isReleased(execution));
  }

  /** Records the end of an execution. */
  synchronized void leave(Execution execution) {
    stages.set(execution.number(), Stage.ENDED);
    notifyAll();
  }

  /** What was recorded. */
  @Override
  public synchronized String toString() {
    var text = new StringBuilder("gate of '%s', %s".formatted(model, permits));
    for (Execution execution : executions) {
      text.append("\n  %s: %s".formatted(execution, stages.get(execution.number())));
    }
    return text.toString();
  }

  private boolean isReleased(Execution execution) {
    return tornDown
        || execution.ids().stream().allMatch(id -> !replyTo(id).held() || released.contains(id));
  }

  /** Waits on an instance's thread, as long as the test takes. */
  private void hold(BooleanSupplier condition) {
    try {
      while (!condition.getAsBoolean()) {
        wait();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw InferenceException.unavailable("interrupted at the gate of '" + model + "'");
    }
  }

  /** Waits on the test's thread. */
  private void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + Polling.maxWait(MAX_WAIT).toNanos();
    try {
      while (!condition.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new AssertionError("timed out waiting for %s: %s".formatted(what, this));
        }
        wait(left / 1_000_000 + 1);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted, waiting for %s: %s".formatted(what, this), stopped);
    }
  }
}
