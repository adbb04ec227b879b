package io.nereid.tck.backend.defects;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Defects from the provider to the close, and calls that do not return. */
final class LifecycleDefects {
  private LifecycleDefects() {}

  /** What a backend that is not checked for null may return. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  static <T> T absent() {
    @Nullable T none = null;
    return none;
  }

  static void hang() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** A backend with a call that does not return; the limit is short. */
  private static class Hanging extends Specimen {
    @Override
    public Duration maxCall() {
      return SHORT_CALL;
    }
  }

  static List<Planted> all() {
    return List.of(
        Planted.of("LIFE-01", "has a provider that is no service", Specimen::new),
        Planted.of(
            "LIFE-02",
            "has a name with a space",
            () ->
                new Specimen() {
                  @Override
                  public String name() {
                    return "my backend";
                  }
                }),
        Planted.of(
            "LIFE-02",
            "has another name each time",
            () ->
                new Specimen() {
                  private final AtomicInteger asked = new AtomicInteger();

                  @Override
                  public String name() {
                    return "specimen" + asked.incrementAndGet();
                  }
                }),
        Planted.of(
            "LIFE-02",
            "hangs in name",
            () ->
                new Hanging() {
                  @Override
                  public String name() {
                    hang();
                    return "specimen";
                  }
                }),
        Planted.of(
            "LIFE-03",
            "returns null from BackendProvider.open",
            () ->
                new Specimen() {
                  @Override
                  public Backend open(BackendContext context) {
                    return absent();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "returns null from load",
            () ->
                new Specimen() {
                  @Override
                  Model model() {
                    return absent();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "returns null from Model.open",
            () ->
                new Specimen() {
                  @Override
                  ModelInstance instance() {
                    return absent();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "returns null from complete",
            () ->
                new Specimen() {
                  @Override
                  ModelConfig complete(ModelConfig config) {
                    return absent();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "throws from Model.close",
            () ->
                new Specimen() {
                  @Override
                  void closeModel() {
                    throw new IllegalStateException("still in use");
                  }
                }),
        Planted.of(
            "LIFE-03",
            "closes a model by its loader only",
            () ->
                new Specimen() {
                  private Arena arena = Arena.ofConfined();

                  @Override
                  void load(ModelConfig config) {
                    arena = Arena.ofConfined();
                  }

                  @Override
                  void closeModel() {
                    arena.close();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "throws from Backend.close",
            () ->
                new Specimen() {
                  @Override
                  void closeBackend() {
                    throw InferenceException.internal("still in use");
                  }
                }),
        Planted.of(
            "LIFE-03",
            "cannot load a model for the third time",
            () ->
                new Specimen() {
                  private final AtomicInteger loads = new AtomicInteger();

                  @Override
                  void load(ModelConfig config) {
                    if (loads.incrementAndGet() > 2) {
                      throw InferenceException.internal("no room");
                    }
                  }
                }),
        Planted.of(
            "LIFE-03",
            "is not healthy when it is opened",
            () ->
                new Specimen() {
                  @Override
                  boolean isHealthy() {
                    return false;
                  }
                }),
        Planted.of(
            "LIFE-03",
            "hangs in BackendProvider.open",
            () ->
                new Hanging() {
                  @Override
                  public Backend open(BackendContext context) {
                    hang();
                    return super.open(context);
                  }
                }),
        Planted.of(
            "LIFE-03",
            "hangs in load",
            () ->
                new Hanging() {
                  @Override
                  void load(ModelConfig config) {
                    hang();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "hangs in Model.open",
            () ->
                new Hanging() {
                  @Override
                  void open(InstanceSettings settings) {
                    hang();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "hangs in ModelInstance.close",
            () ->
                new Hanging() {
                  @Override
                  void closeInstance() {
                    hang();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "hangs in Model.close",
            () ->
                new Hanging() {
                  @Override
                  void closeModel() {
                    hang();
                  }
                }),
        Planted.of(
            "LIFE-03",
            "spins for ever in Backend.close",
            () ->
                new Hanging() {
                  private volatile boolean go = true;

                  @Override
                  void closeBackend() {
                    long end = System.nanoTime() + 3_000_000_000L; // the test ends before it
                    while (go) {
                      Thread.onSpinWait();
                      go = System.nanoTime() < end;
                    }
                  }
                }),
        Planted.of(
            "EXEC-01",
            "hangs in execute",
            () ->
                new Hanging() {
                  @Override
                  void execute(Batch batch, Results results) {
                    hang();
                  }
                }),
        Planted.of(
            "LIFE-04",
            "completes a model to one without outputs",
            () ->
                new Specimen() {
                  @Override
                  ModelConfig complete(ModelConfig config) {
                    return config.withSignature(MAX_BATCH, config.inputs(), List.of());
                  }
                }),
        Planted.of(
            "LIFE-04",
            "completes more each time",
            () ->
                new Specimen() {
                  @Override
                  ModelConfig complete(ModelConfig config) {
                    return config.withSignature(
                        config.maxBatchSize() + 1, config.inputs(), config.outputs());
                  }
                }),
        Planted.of(
            "LIFE-03",
            "hangs in complete",
            () ->
                new Hanging() {
                  @Override
                  ModelConfig complete(ModelConfig config) {
                    hang();
                    return config;
                  }
                }),
        Planted.of(
            "LIFE-05",
            "breaks one copy by the close of another",
            () ->
                new Specimen() {
                  private final AtomicInteger loaded = new AtomicInteger();
                  private volatile boolean broken;

                  @Override
                  void load(ModelConfig config) {
                    loaded.incrementAndGet();
                    broken = false;
                  }

                  @Override
                  void closeModel() {
                    broken = loaded.decrementAndGet() > 0;
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    if (broken) {
                      throw InferenceException.internal("the library is closed");
                    }
                    super.execute(batch, results);
                  }
                }),
        Planted.of(
            "LIFE-05",
            "does not load a second copy",
            () ->
                new Specimen() {
                  private final AtomicInteger loaded = new AtomicInteger();

                  @Override
                  void load(ModelConfig config) {
                    if (loaded.getAndIncrement() > 0) {
                      throw InferenceException.internal("the model is loaded already");
                    }
                  }

                  @Override
                  void closeModel() {
                    loaded.decrementAndGet();
                  }
                }),
        Planted.of(
            "LIFE-06",
            "throws from the close of an instance that never ran",
            () ->
                new Specimen() {
                  private final ThreadLocal<Boolean> ran = ThreadLocal.withInitial(() -> false);

                  @Override
                  void execute(Batch batch, Results results) {
                    ran.set(true);
                    super.execute(batch, results);
                  }

                  @Override
                  void closeInstance() {
                    if (!ran.get()) {
                      throw new IllegalStateException("no stream");
                    }
                  }
                }),
        Planted.of(
            "LIFE-07",
            "shares a handle of all instances, closed by the first",
            () ->
                new Specimen() {
                  private volatile boolean closed;

                  @Override
                  void open(InstanceSettings settings) {
                    closed = false;
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    if (closed) {
                      throw InferenceException.internal("the handle is closed");
                    }
                    super.execute(batch, results);
                  }

                  @Override
                  void closeInstance() {
                    closed = true;
                  }
                }),
        Planted.of(
            "LIFE-07",
            "shares memory that the first instance closes",
            () ->
                new Specimen() {
                  private Arena arena = Arena.ofShared();

                  @Override
                  void load(ModelConfig config) {
                    arena = Arena.ofShared();
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    arena.allocate(1);
                    super.execute(batch, results);
                  }

                  @Override
                  void closeInstance() {
                    if (arena.scope().isAlive()) {
                      arena.close();
                    }
                  }
                }),
        Planted.of(
            "LIFE-03",
            "cannot be opened again, and does not say so",
            () ->
                new Specimen() {
                  private final AtomicInteger opened = new AtomicInteger();

                  @Override
                  public Backend open(BackendContext context) {
                    if (opened.incrementAndGet() > 1) {
                      throw InferenceException.unavailable("one environment per process");
                    }
                    return super.open(context);
                  }
                }),
        Planted.of(
            "LIFE-08",
            "counts its opens in an output",
            () ->
                new Specimen() {
                  private int opened;

                  @Override
                  public Backend open(BackendContext context) {
                    opened++;
                    return super.open(context);
                  }

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    super.answer(batch, i, results);
                    results.drop(i, "OTHER");
                    if (results.wants(i, "OTHER")) {
                      var shape = batch.input(i, "IN").orElseThrow().shape();
                      results
                          .allocate(i, "OTHER", DataType.FP32, shape, shape.elementCount() * 4)
                          .set(Elements.FLOAT, 0, (float) opened);
                    }
                  }
                }));
  }
}
