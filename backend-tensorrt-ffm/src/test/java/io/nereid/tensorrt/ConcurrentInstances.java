package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.rows;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.nereid.config.InstanceSettings;
import io.nereid.config.InstanceSettings.Kind;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.Model;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;
import io.nereid.tck.support.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A model that doubles rows of four, whose instances have a thread each, as in a server. */
final class ConcurrentInstances implements AutoCloseable {
  private final Backend backend;
  private final ModelConfig config;
  private final Model model;
  private final List<Runner> runners = new ArrayList<>();

  ConcurrentInstances(BackendUnderTest tested) {
    this.backend = tested.provider().open(tested.context());
    this.config = backend.complete(tested.files(), tested.config());
    this.model = backend.load(tested.files(), config);
  }

  /** An instance that is to be opened on a GPU by its own thread. */
  Runner runner(int gpu) {
    var runner = new Runner(gpu);
    runners.add(runner);
    return runner;
  }

  /** An instance, open. */
  Runner open(int gpu) {
    var runner = runner(gpu);
    get(runner.open());
    return runner;
  }

  /** What a task returns; it must end soon. */
  static <T> T get(Future<T> task) {
    try {
      return task.get(60, SECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(failed);
    } catch (Exception late) {
      throw new AssertionError(late);
    }
  }

  /** A batch of one request, and its results. */
  private record Flight(TestBatch batch, TestResults results) implements AutoCloseable {
    @Override
    public void close() {
      results.close();
      batch.close();
    }
  }

  /** The thread of an instance. */
  final class Runner {
    private final int gpu;
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private final ExecutorService executor =
        Executors.newSingleThreadExecutor(task -> {
          var started = new Thread(task, "instance");
          thread.set(started);
          return started;
        });
    private @Nullable PipelinedInstance instance;
    private @Nullable Flight flight;

    private Runner(int gpu) {
      this.gpu = gpu;
    }

    Thread thread() {
      return Objects.requireNonNull(thread.get());
    }

    Future<?> open() {
      return executor.submit(() -> {
        var settings = new InstanceSettings("i", Kind.KIND_GPU, gpu, List.of(), false);
        instance = (PipelinedInstance) model.open(settings);
      });
    }

    /** Starts a batch of one row. */
    Future<?> start(float value) {
      return start(value, new Gate("none"));
    }

    /**
     * Starts a batch of one row.
     *
     * @param gate for the methods of its results
     */
    Future<?> start(float value, Gate gate) {
      return executor.submit(() -> {
        var batch = new TestBatch(config).add(List.of(rows("IN", 1, 4, value)));
        var started = new Flight(batch, new TestResults(config, batch));
        try {
          instance().start(batch, gated(started.results(), gate));
          flight = started;
        } catch (RuntimeException failure) {
          started.close();
          throw failure;
        }
      });
    }

    /** Finishes the batch; the first value of its output. */
    Future<Float> finish() {
      Callable<Float> finish =
          () -> {
            try (var finished = Objects.requireNonNull(flight)) {
              instance().finish();
              return switch (finished.results().answers().getFirst().getFirst()) {
                case Outcome.Outputs outputs ->
                    floats(Objects.requireNonNull(outputs.tensors().get("OUT")))[0];
                case Outcome.Failure failure -> throw failure.exception();
              };
            }
          };
      return executor.submit(finish);
    }

    private PipelinedInstance instance() {
      return Objects.requireNonNull(instance);
    }

    private void close() {
      get(
          executor.submit(() -> {
            PipelinedInstance opened = instance;
            if (opened != null) {
              opened.close();
            }
          }));
      executor.shutdown();
    }
  }

  private static Results gated(Results results, Gate gate) {
    return (Results)
        Proxy.newProxyInstance(
            Results.class.getClassLoader(),
            new Class<?>[] {Results.class},
            (_, method, arguments) -> {
              gate.pass(method.getName());
              try {
                return method.invoke(results, arguments);
              } catch (InvocationTargetException failed) {
                throw Objects.requireNonNull(failed.getCause());
              }
            });
  }

  @Override
  public void close() {
    runners.forEach(Runner::close);
    model.close();
    backend.close();
  }
}
