package io.nereid.tck.backend.defects;

import static io.nereid.tck.backend.defects.ExecutionDefects.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/** Wrong use of threads, and what calls leave on them. */
final class ThreadDefects {
  private ThreadDefects() {}

  /** Answers correctly, and makes a call on another thread, at once or after a while. */
  private static Planted elsewhere(String defect, boolean late, BiConsumer<Batch, Results> call) {
    return execution(
        "THREAD-04",
        defect,
        (specimen, batch, results) -> {
          specimen.answerAll(batch, results);
          var thread =
              Thread.startVirtualThread(() -> {
                LockSupport.parkNanos(late ? 8_000_000 : 0);
                call.accept(batch, results);
              });
          if (!late) {
            try {
              thread.join();
            } catch (InterruptedException stop) {
              Thread.currentThread().interrupt();
            }
          }
        });
  }

  private static Planted around(String rule, String defect, Runnable after) {
    return execution(
        rule,
        defect,
        (specimen, batch, results) -> {
          specimen.answerAll(batch, results);
          after.run();
        });
  }

  private static void leaveClassLoader() {
    Thread.currentThread()
        .setContextClassLoader(
            new URLClassLoader(new URL[0], ThreadDefects.class.getClassLoader()));
  }

  static List<Planted> all() {
    List<Planted> all = new ArrayList<>(wrongThreads());
    all.addAll(traces());
    all.addAll(instances());
    return all;
  }

  private static List<Planted> wrongThreads() {
    var text = new Parameter.OfString("x");
    return List.of(
        elsewhere("reads an input on another thread", false, (batch, _) -> batch.input(0, "IN")),
        elsewhere("asks for the rows on another thread", false, (batch, _) -> batch.rows()),
        elsewhere("gathers on another thread", false, (batch, _) -> batch.gathered("IN")),
        elsewhere("sends on another thread", false, (_, results) -> results.send(0)),
        elsewhere(
            "adds a parameter on another thread",
            false,
            (_, results) -> results.parameter(0, "p", text)),
        elsewhere("tells times on another thread", false, (_, results) -> results.computeStarted()),
        elsewhere("reads an input after execute", true, (batch, _) -> batch.input(0, "IN")),
        elsewhere("asks for a request after execute", true, (batch, _) -> batch.request(0)),
        elsewhere(
            "registers for a cancellation after execute",
            true,
            (batch, _) -> batch.onCancel(() -> {})),
        elsewhere("sends after execute", true, (_, results) -> results.send(0)),
        elsewhere(
            "fails a request after execute",
            true,
            (_, results) -> results.fail(0, InferenceException.internal("late"))),
        elsewhere(
            "allocates after execute",
            true,
            (_, results) -> results.allocate(0, "SAME", DataType.FP32, Shape.of(1, 4), 16)),
        elsewhere(
            "allocates for the batch after execute",
            true,
            (_, results) -> results.allocateBatch("SAME", DataType.FP32, Shape.of(8, 4))),
        elsewhere(
            "gives an output after execute",
            true,
            (_, results) ->
                results.give(
                    0,
                    new Tensor("SAME", DataType.FP32, Shape.of(1, 4), Arena.ofAuto().allocate(16)),
                    () -> {})),
        elsewhere("asks what is wanted after execute", true, (_, results) -> results.wants("SAME")),
        Planted.of(
            "THREAD-04",
            "uses the batch before in the next one",
            () ->
                new Specimen() {
                  private Optional<Batch> before = Optional.empty();

                  @Override
                  void execute(Batch batch, Results results) {
                    try {
                      before.ifPresent(Batch::size);
                    } catch (IllegalStateException ignored) {
                      // the defect: it is not told
                    }
                    before = Optional.of(batch);
                    super.execute(batch, results);
                  }
                }));
  }

  private static List<Planted> traces() {
    return List.of(
        around(
            "THREAD-05", "leaves its thread interrupted", () -> Thread.currentThread().interrupt()),
        Planted.of(
            "THREAD-05",
            "leaves the thread of load interrupted",
            () ->
                new Specimen() {
                  @Override
                  void load(ModelConfig config) {
                    Thread.currentThread().interrupt();
                  }
                }),
        around("THREAD-06", "leaves another context class loader", ThreadDefects::leaveClassLoader),
        Planted.of(
            "THREAD-06",
            "leaves another context class loader after load",
            () ->
                new Specimen() {
                  @Override
                  void load(ModelConfig config) {
                    leaveClassLoader();
                  }
                }),
        Planted.of(
            "THREAD-06",
            "leaves no context class loader after Model.open",
            () ->
                new Specimen() {
                  @Override
                  void open(InstanceSettings settings) {
                    Thread.currentThread().setContextClassLoader(LifecycleDefects.absent());
                  }
                }));
  }

  private static List<Planted> instances() {
    return List.of(
        Planted.of(
            "THREAD-01",
            "shares a buffer among instances",
            () ->
                new Specimen() {
                  private volatile float shared;

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    Tensor in = batch.input(i, "IN").orElseThrow();
                    for (String output : List.of("SAME", "OTHER")) {
                      if (results.wants(i, output)) {
                        var target =
                            results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                        for (long at = 0; at < in.byteSize(); at += Float.BYTES) {
                          shared = in.data().get(Elements.FLOAT, at);
                          LockSupport.parkNanos(1); // the others write it meanwhile
                          target.set(Elements.FLOAT, at, output.equals("SAME") ? shared : -shared);
                        }
                      }
                    }
                  }
                }),
        Planted.of(
            "THREAD-02",
            "answers isHealthy to its own thread only",
            () ->
                new Specimen() {
                  @Override
                  Model model() {
                    return new Loaded() {
                      @Override
                      public ModelInstance open(InstanceSettings settings) {
                        Thread owner = Thread.currentThread();
                        return new Instance() {
                          @Override
                          public boolean isHealthy() {
                            if (!Thread.currentThread().equals(owner)) {
                              throw new WrongThreadException();
                            }
                            return true;
                          }
                        };
                      }
                    };
                  }
                }),
        execution(
            "THREAD-03", "leaves a cancelled batch in its stream", new StuckAfterCancel()::execute),
        execution(
            "THREAD-03",
            "fails all requests once one is cancelled",
            (specimen, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                if (batch.isCancelled(i)) {
                  throw InferenceException.cancelled();
                }
              }
              specimen.answerAll(batch, results);
            }),
        execution(
            "EXEC-13",
            "gives outputs twice once it is cancelled",
            (specimen, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                specimen.answer(batch, i, results);
                if (batch.isCancelled()) {
                  results.send(i);
                  results.fail(i, InferenceException.cancelled());
                }
              }
            }),
        Planted.of(
            "THREAD-07",
            "claims to run on any thread",
            () ->
                new Specimen() {
                  private final ThreadLocal<Boolean> opened = ThreadLocal.withInitial(() -> false);

                  @Override
                  void open(InstanceSettings settings) {
                    opened.set(true);
                  }

                  @Override
                  boolean runsOnAnyThread() {
                    return true;
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    if (!opened.get()) {
                      throw new WrongThreadException();
                    }
                    super.execute(batch, results);
                  }
                }),
        Planted.of(
            "THREAD-07",
            "runs on any thread the first time it is asked",
            () ->
                new Specimen() {
                  private boolean asked;

                  @Override
                  boolean runsOnAnyThread() {
                    asked = !asked;
                    return asked;
                  }
                }),
        Planted.of(
            "THREAD-08",
            "ignores a cancellation",
            () ->
                new Specimen() {
                  @Override
                  public Optional<SampleRequest> longRequest(ModelConfig config) {
                    return Optional.of(
                        SampleRequest.of(
                            inputs(config, 1, 3), Map.of("long", new Parameter.OfBoolean(true))));
                  }

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    if (batch.request(i).options().parameters().containsKey("long")) {
                      LockSupport.parkNanos(900_000_000);
                    }
                    super.answer(batch, i, results);
                  }
                }),
        Planted.of("THREAD-08", "takes the lock of execute in its action", LockedCancel::new),
        Planted.of(
            "THREAD-08",
            "executes a long request that is cancelled already",
            () ->
                new Specimen() {
                  @Override
                  public Optional<SampleRequest> longRequest(ModelConfig config) {
                    return Optional.of(bad(this, config));
                  }

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    long end = System.nanoTime() + 900_000_000;
                    boolean early = batch.isCancelled();
                    while (isBad(batch, i)
                        && (early || !batch.isCancelled())
                        && System.nanoTime() - end < 0) {
                      LockSupport.parkNanos(1_000_000);
                    }
                    super.answer(batch, i, results);
                  }
                }));
  }

  /** An execution that waits for a cancellation whose action waits for the execution. */
  private static final class LockedCancel extends Specimen {
    @Override
    public Duration maxCall() {
      return SHORT_CALL;
    }

    @Override
    public Optional<SampleRequest> longRequest(ModelConfig config) {
      return Optional.of(bad(this, config));
    }

    @Override
    void answer(Batch batch, int i, Results results) {
      super.answer(batch, i, results);
      if (isBad(batch, i)) {
        var cancelled = new CountDownLatch(1);
        synchronized (this) {
          batch.onCancel(() -> {
            synchronized (this) {
              cancelled.countDown();
            }
          });
          try {
            cancelled.await();
          } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
          }
        }
      }
    }
  }

  /** An execution that is never right again after a cancelled batch. */
  private static final class StuckAfterCancel {
    private boolean stuck;

    void execute(Specimen specimen, Batch batch, Results results) {
      if (stuck) {
        throw InferenceException.internal("the stream is in use");
      }
      stuck = batch.isCancelled();
      specimen.answerAll(batch, results);
    }
  }
}
