package io.nereid.engine.model.control.lifecycle;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import io.nereid.spi.SharedDeviceMemory;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A backend that breaks its contract in the one call that a test has chosen. */
@SuppressWarnings("NullAway") // it returns null where it must not
public final class HostileBackend implements BackendProvider {
  public static final String NAME = "hostile";

  /** What a process with a plan prints before the call that the plan names. */
  public static final String REACHED = "hostile: ";

  /**
   * What to do in which call.
   *
   * @param reached once the call was made
   * @param gate what does not return waits for it
   * @param refusals what calls from another thread have thrown
   */
  public record Plan(
      SpiCall call,
      Deed deed,
      CountDownLatch reached,
      CountDownLatch gate,
      List<Throwable> refusals) {
    public static Plan of(SpiCall call, Deed deed) {
      return new Plan(
          call, deed, new CountDownLatch(1), new CountDownLatch(1), new CopyOnWriteArrayList<>());
    }

    /** Does not return before the gate opens, whatever is done. */
    private void awaitGate() {
      while (true) {
        try {
          gate.await();
          return;
        } catch (InterruptedException ignored) {
          // it does not return
        }
      }
    }
  }

  /** Calls methods of the server's objects from another thread, if that is the plan. */
  private static void callBack(SpiCall call, Batch batch, Results results) {
    Plan now = plan;
    if (now != null && now.call() == call && now.deed() == Deed.CALLS_BACK_FROM_ANOTHER_THREAD) {
      for (Runnable each :
          List.<Runnable>of(
              () -> results.fail(0, InferenceException.internal("of a test")),
              () -> results.allocate(0, "OUT0", DataType.FP32, Shape.of(4), 16),
              () -> batch.input(0, "IN0"))) {
        Thread thread =
            Thread.ofPlatform()
                .start(() -> {
                  try {
                    each.run();
                  } catch (Throwable refused) {
                    now.refusals().add(refused);
                  }
                });
        try {
          thread.join();
        } catch (InterruptedException stopped) {
          throw new IllegalStateException(stopped);
        }
      }
    }
  }

  /** The plan of a process, {@code <call>,<deed>}, or null. */
  private static final @Nullable String OF_PROCESS = System.getProperty("nereid.hostile");

  private static volatile @Nullable Plan plan = ofProcess(OF_PROCESS);

  private static @Nullable Plan ofProcess(@Nullable String property) {
    if (property == null) {
      return null;
    }
    String[] parts = property.split(",", -1);
    return Plan.of(SpiCall.valueOf(parts[0]), Deed.valueOf(parts[1]));
  }

  public static void plan(@Nullable Plan newPlan) {
    plan = newPlan;
  }

  /** A call arrives; returns what it is to return. */
  static <T> T at(SpiCall call, T ordinary) {
    Plan now = plan;
    if (now == null || now.call() != call) {
      return ordinary;
    }
    now.reached().countDown();
    if (OF_PROCESS != null) {
      System.out.println(REACHED + call);
    }
    return switch (now.deed()) {
      case THROWS -> throw new IllegalStateException("of a test");
      case THROWS_ERROR -> throw new NoClassDefFoundError("made/Missing");
      case RETURNS_NULL -> null;
      case CALLS_BACK_FROM_ANOTHER_THREAD -> ordinary;
      case DOES_NOT_RETURN -> {
        now.awaitGate();
        yield ordinary;
      }
    };
  }

  @Override
  public String name() {
    return NAME;
  }

  private static boolean isPlanned(When when) {
    Plan now = plan;
    return now != null && now.call().when() == when;
  }

  @Override
  public boolean sharesDeviceMemory() {
    return at(SpiCall.SHARES, isPlanned(When.DEVICE));
  }

  @Override
  public Backend open(BackendContext context) {
    return at(SpiCall.OPEN_BACKEND, new Opened());
  }

  private record Opened() implements Backend {
    @Override
    public ModelConfig complete(ModelFiles files, ModelConfig config) {
      return at(SpiCall.COMPLETE, config);
    }

    @Override
    public List<String> warnings(ModelConfig config) {
      return at(SpiCall.WARNINGS, List.of());
    }

    @Override
    public int defaultInstanceCount(InstanceSettings.Kind kind) {
      return at(SpiCall.INSTANCE_COUNT, 1);
    }

    @Override
    public List<Integer> gpus() {
      return at(SpiCall.GPUS, List.of());
    }

    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      boolean isPipelined = config.parameters().containsKey("pipelined");
      return at(SpiCall.LOAD, new Loaded(isPipelined));
    }

    @Override
    public SharedDeviceMemory openSharedMemory(int gpu, byte[] handle, long byteSize) {
      return at(SpiCall.OPEN_SHARED, new HostileParts.Shared());
    }

    @Override
    public void cancelLoads() {
      at(SpiCall.CANCEL_LOADS, true);
    }

    @Override
    public void close() {
      at(SpiCall.CLOSE_BACKEND, true);
    }
  }

  private record Loaded(boolean isPipelined) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return at(SpiCall.OPEN, isPipelined ? new Pipelined() : new Instance());
    }

    @Override
    public Optional<HostAllocator> inputAllocator() {
      return at(
          SpiCall.ALLOCATOR,
          isPlanned(When.MEMORY) ? Optional.of(new HostileParts.Allocator()) : Optional.empty());
    }

    @Override
    public boolean fillsOutputs() {
      return at(SpiCall.FILLS_OUTPUTS, false);
    }

    @Override
    public boolean isShapeHint(String output) {
      return at(SpiCall.SHAPE_HINT, false);
    }

    @Override
    public boolean takesMissing() {
      return at(SpiCall.TAKES_MISSING, false);
    }

    @Override
    public Optional<BatchingStrategy> batchingStrategy() {
      return at(
          SpiCall.STRATEGY,
          isPlanned(When.BATCHING) ? Optional.of(new HostileParts.Strategy()) : Optional.empty());
    }

    @Override
    public List<MemoryUsage> memoryUsage() {
      return at(SpiCall.MEMORY_USAGE, List.of(new MemoryUsage("CPU", 0, 7)));
    }

    @Override
    public void close() {
      at(SpiCall.CLOSE, true);
    }
  }

  private static class Instance implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      Plan now = plan;
      if (now != null && now.call() == SpiCall.FAILURE_REASON) {
        throw InferenceException.internal("lost");
      }
      callBack(SpiCall.EXECUTE, batch, results);
      if (isPlanned(When.DEVICE)) {
        var _ = results.allocate(0, "OUT0", DataType.FP32, Shape.of(4), 16); // to be written
      }
      at(SpiCall.EXECUTE, true);
    }

    @Override
    public boolean runsOnAnyThread() {
      return at(SpiCall.ANY_THREAD, false);
    }

    @Override
    public boolean hasBoundedTime() {
      return at(SpiCall.BOUNDED_TIME, false);
    }

    @Override
    public boolean isHealthy() {
      Plan now = plan;
      boolean isFailing = now != null && now.call() == SpiCall.FAILURE_REASON;
      return at(SpiCall.HEALTHY, !isFailing);
    }

    @Override
    public Optional<String> failureReason() {
      return at(SpiCall.FAILURE_REASON, Optional.empty());
    }

    @Override
    public void close() {
      at(SpiCall.CLOSE_INSTANCE, true);
    }
  }

  private static final class Pipelined extends Instance implements PipelinedInstance {
    @Override
    public int depth() {
      return at(SpiCall.DEPTH, 2);
    }

    @Override
    public void start(Batch batch, Results results) {
      callBack(SpiCall.START, batch, results);
      at(SpiCall.START, true);
    }

    @Override
    public boolean canStart() {
      return at(SpiCall.CAN_START, true);
    }

    @Override
    public boolean isFinished() {
      return at(SpiCall.IS_FINISHED, true);
    }

    @Override
    public void finish() {
      at(SpiCall.FINISH, true);
    }

    @Override
    public void execute(Batch batch, Results results) {
      PipelinedInstance.super.execute(batch, results);
    }
  }
}
