package io.nereid.tck.backend.defects;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.spi.metrics.BackendMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What stays of models and of batches. */
final class LeakDefects {
  /** The threads that backends have left. */
  private static final Queue<Thread> LEFT = new ConcurrentLinkedQueue<>();

  private LeakDefects() {}

  private static Planted load(String rule, String defect, Leak leak) {
    return Planted.of(rule, defect, () -> new Leaking(Call.LOAD, leak));
  }

  private static Planted open(String rule, String defect, Leak leak) {
    return Planted.of(rule, defect, () -> new Leaking(Call.OPEN, leak));
  }

  private static Planted execute(String rule, String defect, Leak leak) {
    return Planted.of(rule, defect, () -> new Leaking(Call.EXECUTE, leak));
  }

  private static Planted first(String rule, String defect, Leak leak) {
    return Planted.of(rule, defect, () -> new Leaking(Call.FIRST_EXECUTE, leak));
  }

  private enum Call {
    LOAD,
    OPEN,
    FIRST_EXECUTE,
    EXECUTE
  }

  /** Leaks in one of its methods. */
  private static final class Leaking extends Specimen {
    private final Call leaking;
    private final Leak leak;
    private final List<Object> kept = new ArrayList<>();
    private int batches;

    Leaking(Call leaking, Leak leak) {
      this.leaking = leaking;
      this.leak = leak;
    }

    private void leakIn(Call call) {
      if (call == leaking) {
        leak.once(kept);
      }
    }

    @Override
    void load(ModelConfig config) {
      super.load(config);
      leakIn(Call.LOAD);
    }

    @Override
    void open(InstanceSettings settings) {
      leakIn(Call.OPEN);
      batches = 0;
    }

    @Override
    void execute(Batch batch, Results results) {
      super.execute(batch, results);
      batches++;
      if (batches == 1) {
        leakIn(Call.FIRST_EXECUTE);
      }
      if (batches % 4 == 0) { // a slow leak
        leakIn(Call.EXECUTE);
      }
    }
  }

  /** One leak. */
  private interface Leak {
    void once(List<Object> kept);
  }

  static void leaveThread() {
    LEFT.add(Thread.ofPlatform().daemon().start(LeakDefects::waitForInterrupt));
  }

  private static void waitForInterrupt() {
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.park();
    }
  }

  /** Ends the threads that were left: another defect's run counts threads, too. */
  static void endThreads() throws InterruptedException {
    for (Thread left = LEFT.poll(); left != null; left = LEFT.poll()) {
      left.interrupt();
      left.join();
    }
  }

  private static Object file() {
    try {
      return FileChannel.open(Path.of("/dev/null"), StandardOpenOption.READ);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static void leaveFile() {
    try {
      Files.createTempFile("specimen", "").toFile().deleteOnExit();
    } catch (IOException unwritable) {
      throw new UncheckedIOException(unwritable);
    }
  }

  static List<Planted> all() {
    return List.of(
        load("LEAK-01", "leaves a thread for each model", _ -> leaveThread()),
        open("LEAK-01", "leaves a thread for each instance", _ -> leaveThread()),
        first("LEAK-01", "leaves a thread of each first batch", _ -> leaveThread()),
        first("LEAK-02", "leaves a file open of each first batch", kept -> kept.add(file())),
        load("LEAK-02", "leaves a file open for each model", kept -> kept.add(file())),
        load("LEAK-02", "leaves a temporary file for each model", _ -> leaveFile()),
        load(
            "LEAK-03",
            "leaves 64 KiB of native memory for each model",
            _ -> Arena.ofShared().allocate(64 << 10)),
        open(
            "LEAK-03",
            "leaves 16 KiB of native memory for each instance",
            _ -> Arena.global().allocate(16 << 10)),
        load(
            "LEAK-03", "leaves 1 KiB of the heap for each model", kept -> kept.add(new byte[1024])),
        load(
            "LEAK-03",
            "keeps a direct buffer of each model",
            kept -> kept.add(ByteBuffer.allocateDirect(16 << 10))),
        execute("LEAK-04", "leaves a thread for some batches", _ -> leaveThread()),
        execute("LEAK-04", "leaves a file open for some batches", kept -> kept.add(file())),
        execute(
            "LEAK-05",
            "leaves 16 KiB of native memory for some batches",
            _ -> Arena.global().allocate(16 << 10)),
        execute(
            "LEAK-05",
            "leaves 512 bytes of the heap for some batches",
            kept -> kept.add(new byte[512])),
        Planted.of(
            "LEAK-05",
            "registers a metric for each batch",
            () ->
                new Specimen() {
                  private final AtomicLong batches = new AtomicLong();
                  private @Nullable BackendMetrics metrics;

                  @Override
                  public Backend open(BackendContext context) {
                    metrics = context.metrics();
                    return super.open(context);
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    var number = Map.of("batch", Long.toString(batches.incrementAndGet()));
                    Objects.requireNonNull(metrics).counter("specimen_batch", "Batches", number);
                    super.execute(batch, results);
                  }
                }),
        Planted.of(
            "LEAK-05",
            "keeps memory for an unwanted output",
            () ->
                new Specimen() {
                  @Override
                  void answer(Batch batch, int i, Results results) {
                    super.answer(batch, i, results);
                    if (!results.wants(i, "OTHER")) {
                      Arena.global().allocate(16 << 10);
                    }
                  }
                }),
        Planted.of(
            "LEAK-06",
            "does not free memory that is released",
            () ->
                new MemoryDefects.Giving() {
                  @Override
                  void release(Arena arena) {}
                }),
        Planted.of(
            "LEAK-06",
            "frees only a quarter of what it gave",
            () ->
                new MemoryDefects.Giving() {
                  private int released;

                  @Override
                  void release(Arena arena) {
                    released++;
                    if (released % 4 == 0) {
                      arena.close();
                    }
                  }
                }));
  }
}
