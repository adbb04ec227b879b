package io.nereid.tck.backend.defects;

import static io.nereid.tck.backend.defects.ExecutionDefects.execution;

import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.backend.OpensMemory;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Wrong use of memory. */
final class MemoryDefects {
  private MemoryDefects() {}

  /** Gives both outputs of the batch in memory of the backend. */
  static class Giving extends Specimen {
    /** The memory for an output. */
    MemorySegment memory(Arena arena, long byteSize) {
      return arena.allocate(byteSize);
    }

    Arena arena() {
      return Arena.ofShared();
    }

    void release(Arena arena) {
      arena.close();
    }

    /** Called once the output is given. */
    void given(Arena arena, MemorySegment memory) {}

    @Override
    void execute(Batch batch, Results results) {
      Tensor all = batch.gathered("IN").orElseThrow();
      for (String output : List.of("SAME", "OTHER")) {
        if (results.wants(output)) {
          var arena = arena();
          var memory = memory(arena, all.byteSize());
          write(output, all.data(), memory);
          results.giveBatch(
              new Tensor(output, DataType.FP32, all.shape(), memory), () -> release(arena));
          given(arena, memory);
        }
      }
    }
  }

  private static Planted onceMore(
      String rule, String defect, Function<Batch, MemorySegment> changed) {
    return execution(
        rule,
        defect,
        (specimen, batch, results) -> {
          specimen.answerAll(batch, results);
          changed.apply(batch).set(Elements.FLOAT, 0, 42f);
        });
  }

  static List<Planted> all() {
    List<Planted> all = new ArrayList<>(inputs());
    all.addAll(given());
    all.addAll(lent());
    return all;
  }

  private static List<Planted> inputs() {
    return List.of(
        onceMore(
            "MEMORY-01",
            "writes into an input",
            batch -> batch.input(0, "IN").orElseThrow().data()),
        onceMore(
            "MEMORY-01",
            "writes into the last input of the batch",
            batch -> batch.input(batch.size() - 1, "IN").orElseThrow().data()),
        onceMore(
            "MEMORY-01",
            "computes in place, in a gathered input",
            batch -> batch.gathered("IN").orElseThrow().data()),
        Planted.of(
            "MEMORY-03",
            "keeps an input and reads it in the next batch",
            () ->
                new Specimen() {
                  private @Nullable MemorySegment kept;

                  @Override
                  void execute(Batch batch, Results results) {
                    if (kept != null) {
                      kept.get(Elements.FLOAT, 0);
                    }
                    super.execute(batch, results);
                    kept = batch.input(0, "IN").orElseThrow().data();
                  }
                }),
        Planted.of(
            "MEMORY-03",
            "answers with an input of the batch before",
            () ->
                new Specimen() {
                  private @Nullable MemorySegment kept;

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    super.answer(batch, i, results);
                    MemorySegment input = batch.input(i, "IN").orElseThrow().data();
                    if (kept != null && kept.scope().isAlive() && batch.size() > 1) {
                      if (kept.get(Elements.INT, 0) == 0x5A5A5A5A) {
                        throw InferenceException.internal("cached input is gone");
                      }
                    }
                    kept = input;
                  }
                }));
  }

  private static List<Planted> given() {
    return List.of(
        Planted.of(
            "MEMORY-04",
            "frees what it gave when execute returns",
            () ->
                new Giving() {
                  private final List<Arena> arenas = new ArrayList<>();

                  @Override
                  void given(Arena arena, MemorySegment memory) {
                    arenas.add(arena);
                  }

                  @Override
                  void release(Arena arena) {}

                  @Override
                  void execute(Batch batch, Results results) {
                    super.execute(batch, results);
                    arenas.forEach(Arena::close);
                    arenas.clear();
                  }
                }),
        Planted.of(
            "MEMORY-04",
            "frees what it gave at the next batch",
            () ->
                new Giving() {
                  private final List<Arena> arenas = new ArrayList<>();

                  @Override
                  void release(Arena arena) {}

                  @Override
                  void execute(Batch batch, Results results) {
                    arenas.forEach(Arena::close);
                    arenas.clear();
                    super.execute(batch, results);
                  }

                  @Override
                  void given(Arena arena, MemorySegment memory) {
                    arenas.add(arena);
                  }
                }),
        Planted.of(
            "MEMORY-04",
            "gives memory that is closed",
            () ->
                new Giving() {
                  @Override
                  void execute(Batch batch, Results results) {
                    var shape = Shape.of(batch.rows(), WIDTH);
                    for (String output : List.of("SAME", "OTHER")) {
                      var arena = Arena.ofShared();
                      var memory = arena.allocate(batch.rows() * ROW);
                      arena.close();
                      results.giveBatch(new Tensor(output, DataType.FP32, shape, memory), () -> {});
                    }
                  }
                }),
        Planted.of(
            "MEMORY-07",
            "gives memory of a confined arena",
            () ->
                new Giving() {
                  @Override
                  Arena arena() {
                    return Arena.ofConfined();
                  }

                  @Override
                  void release(Arena arena) {}
                }),
        Planted.of(
            "MEMORY-07",
            "gives memory on the heap",
            () ->
                new Giving() {
                  @Override
                  MemorySegment memory(Arena arena, long byteSize) {
                    return MemorySegment.ofArray(new byte[(int) byteSize]);
                  }
                }),
        Planted.of(
            "MEMORY-11",
            "gives one buffer for all batches",
            () ->
                new Giving() {
                  private final MemorySegment same = Arena.ofAuto().allocate(MAX_BATCH * ROW);
                  private final MemorySegment other = Arena.ofAuto().allocate(MAX_BATCH * ROW);
                  private boolean first;

                  @Override
                  MemorySegment memory(Arena arena, long byteSize) {
                    first = !first;
                    return (first ? same : other).asSlice(0, byteSize);
                  }
                }),
        Planted.of(
            "MEMORY-11",
            "clears what it gave when the next batch begins",
            () ->
                new Giving() {
                  private final List<MemorySegment> old = new ArrayList<>();

                  @Override
                  void execute(Batch batch, Results results) {
                    old.stream()
                        .filter(each -> each.scope().isAlive())
                        .forEach(each -> each.fill((byte) 0));
                    old.clear();
                    super.execute(batch, results);
                  }

                  @Override
                  void given(Arena arena, MemorySegment memory) {
                    old.add(memory);
                  }
                }),
        Planted.of(
            "MEMORY-12",
            "throws from a release",
            () ->
                new Giving() {
                  @Override
                  void release(Arena arena) {
                    throw new IllegalStateException("not on this thread");
                  }
                }),
        Planted.of(
            "MEMORY-12",
            "releases on the instance's thread only",
            () ->
                new Giving() {
                  private @Nullable Thread thread;

                  @Override
                  void execute(Batch batch, Results results) {
                    thread = Thread.currentThread();
                    super.execute(batch, results);
                  }

                  @Override
                  void release(Arena arena) {
                    if (!Thread.currentThread().equals(thread)) {
                      throw new WrongThreadException();
                    }
                    arena.close();
                  }
                }),
        Planted.of(
            "MEMORY-12",
            "waits in a release for the next batch",
            () ->
                new Giving() {
                  @Override
                  public Duration maxCall() {
                    return SHORT_CALL;
                  }

                  @Override
                  void release(Arena arena) {
                    LifecycleDefects.hang();
                  }
                }));
  }

  private static List<Planted> lent() {
    return List.of(
        Planted.of(
            "MEMORY-13",
            "writes an output of the batch before",
            () ->
                new Specimen() {
                  private final List<MemorySegment> outputs = new ArrayList<>();

                  @Override
                  void execute(Batch batch, Results results) {
                    outputs.stream()
                        .filter(each -> each.scope().isAlive())
                        .forEach(each -> each.set(Elements.FLOAT, 0, 1f));
                    outputs.clear();
                    Tensor in = batch.gathered("IN").orElseThrow();
                    for (String output : List.of("SAME", "OTHER")) {
                      if (results.wants(output)) {
                        var target = results.allocateBatch(output, DataType.FP32, in.shape());
                        write(output, in.data(), target);
                        outputs.add(target);
                      }
                    }
                  }
                }),
        Planted.of(
            "MEMORY-13",
            "copies outputs on a thread that ends later",
            () ->
                new Specimen() {
                  @Override
                  void execute(Batch batch, Results results) {
                    Tensor in = batch.gathered("IN").orElseThrow();
                    var copy = Arena.ofAuto().allocate(in.byteSize());
                    Elements.copy(in.data(), copy);
                    for (String output : List.of("SAME", "OTHER")) {
                      if (results.wants(output)) {
                        var target = results.allocateBatch(output, DataType.FP32, in.shape());
                        write(output, in.data(), target);
                        Thread.startVirtualThread(() -> {
                          LockSupport.parkNanos(5_000_000);
                          if (target.scope().isAlive()) {
                            write(output, copy, target);
                          }
                        });
                      }
                    }
                  }
                }),
        Planted.of(
            "MEMORY-06",
            "claims to fill outputs, and leaves out the last row",
            () ->
                new Specimen() {
                  @Override
                  boolean fillsOutputs() {
                    return true;
                  }

                  @Override
                  void execute(Batch batch, Results results) {
                    Tensor in = batch.gathered("IN").orElseThrow();
                    for (String output : List.of("SAME", "OTHER")) {
                      var target = results.allocateBatch(output, DataType.FP32, in.shape());
                      write(output, in.data().asSlice(0, in.byteSize() - ROW), target);
                    }
                  }
                }),
        Planted.of(
            "MEMORY-06",
            "claims to fill outputs, and leaves zeros unwritten",
            () ->
                new Specimen() {
                  @Override
                  boolean fillsOutputs() {
                    return true;
                  }

                  @Override
                  void answer(Batch batch, int i, Results results) {
                    Tensor in = batch.input(i, "IN").orElseThrow();
                    for (String output : List.of("SAME", "OTHER")) {
                      if (results.wants(i, output)) {
                        var target =
                            results.allocate(i, output, DataType.FP32, in.shape(), in.byteSize());
                        for (long at = 0; at < in.byteSize(); at += Float.BYTES) {
                          float value = in.data().get(Elements.FLOAT, at);
                          if (value > 0) {
                            target.set(Elements.FLOAT, at, value);
                          }
                        }
                      }
                    }
                  }
                }),
        Planted.of("MEMORY-08", "opens memory of devices, and denies it", () -> new Sharing(false)),
        Planted.of("MEMORY-09", "claims to open memory of devices", () -> new Sharing(true)));
  }

  /** A backend that says the opposite of what it does with memory of devices. */
  private static final class Sharing extends Specimen {
    private final boolean declared;

    Sharing(boolean declared) {
      this.declared = declared;
    }

    @Override
    public boolean sharesDeviceMemory() {
      return declared;
    }

    @Override
    public Backend open(BackendContext context) {
      Backend correct = super.open(context);
      return declared ? correct : new OpensMemory(correct);
    }
  }
}
