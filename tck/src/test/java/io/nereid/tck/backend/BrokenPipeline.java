package io.nereid.tck.backend;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A pipelined backend that copies IN to OUT through a staging buffer, with a defect. */
record BrokenPipeline(Defect defect) implements BackendProvider {
  /** A defect of a {@link BrokenPipeline}. */
  enum Defect {
    NONE,
    /** The depth is the number of batches that can still be started. */
    COUNTS_ITS_DEPTH_DOWN,
    /** It is no pipelined instance. */
    IS_NOT_PIPELINED,
    /** All batches in flight have one staging buffer. */
    SHARES_ITS_BUFFER,
    /** The batch that was started last is finished first. */
    FINISHES_THE_NEWEST_BATCH,
    /** Asking whether a batch can be started changes the answer. */
    TAKES_ITS_WORD_BACK,
    /** It can start a batch once the device has completed all others. */
    WAITS_IN_CAN_START,
    /** A batch is finished only once it was asked to. */
    NEVER_SAYS_THAT_IT_IS_FINISHED,
    /** A batch that is executed alone is left in flight. */
    FORGETS_TO_FINISH_ALONE,
    /** The inputs of the batch that was finished last are read. */
    KEEPS_ITS_INPUTS,
    /** A cancelled batch is dropped without a finish. */
    DROPS_CANCELLED_BATCHES
  }

  static BackendUnderTest with(Defect defect) {
    return BrokenBackend.underTest(new BrokenPipeline(defect));
  }

  @Override
  public String name() {
    return "broken";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Backend() {
      @Override
      public Model load(ModelFiles files, ModelConfig config) {
        return model();
      }

      @Override
      public void close() {}
    };
  }

  private Model model() {
    return new Model() {
      @Override
      public ModelInstance open(InstanceSettings settings) {
        var instance = new Instance(defect);
        return defect == Defect.IS_NOT_PIPELINED ? plain(instance) : instance;
      }

      @Override
      public void close() {}
    };
  }

  private static ModelInstance plain(ModelInstance instance) {
    return new ModelInstance() {
      @Override
      public void execute(Batch batch, Results results) {
        instance.execute(batch, results);
      }

      @Override
      public void close() {
        instance.close();
      }
    };
  }

  /** A batch in flight, whose input lies in a staging buffer. */
  private record Flight(Batch batch, Results results, Shape shape, MemorySegment staged) {
    void store() {
      MemorySegment target = results.allocateBatch("OUT", DataType.FP32, shape);
      Elements.copy(staged.asSlice(0, target.byteSize()), target);
    }
  }

  private static final class Instance implements PipelinedInstance {
    private static final int DEPTH = 3;
    private static final int ROW = 16;
    private static final int MAX_ROWS = 8;
    private static final long DEVICE_NANOS = 500_000;

    private final Defect defect;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment shared = arena.allocate(ROW * MAX_ROWS);
    private final Deque<Flight> flights = new ArrayDeque<>();
    private @Nullable Tensor finished;
    private boolean answer;
    private long started;

    Instance(Defect defect) {
      this.defect = defect;
    }

    @Override
    public int depth() {
      return defect == Defect.COUNTS_ITS_DEPTH_DOWN ? DEPTH - flights.size() : DEPTH;
    }

    @Override
    public void start(Batch batch, Results results) {
      Tensor input = batch.gathered("IN").orElseThrow();
      MemorySegment staged =
          defect == Defect.SHARES_ITS_BUFFER ? shared : arena.allocate(ROW * MAX_ROWS);
      Elements.copy(input.data(), staged.asSlice(0, input.byteSize()));
      if (defect == Defect.KEEPS_ITS_INPUTS && finished != null) {
        staged.set(Elements.FLOAT, 0, finished.data().get(Elements.FLOAT, 0));
      }
      flights.add(new Flight(batch, results, input.shape(), staged));
      answer = true;
      started = System.nanoTime();
    }

    @Override
    public boolean canStart() {
      while (!isFinished() && defect == Defect.WAITS_IN_CAN_START) {
        Thread.onSpinWait();
      }
      boolean said = answer;
      if (defect == Defect.TAKES_ITS_WORD_BACK) {
        answer = !answer;
      }
      return said;
    }

    @Override
    public boolean isFinished() {
      return System.nanoTime() - started > DEVICE_NANOS
          && defect != Defect.NEVER_SAYS_THAT_IT_IS_FINISHED;
    }

    @Override
    public void finish() {
      boolean newest = defect == Defect.FINISHES_THE_NEWEST_BATCH;
      Flight next = newest ? flights.removeLast() : flights.removeFirst();
      next.store();
      finished = next.batch().gathered("IN").orElseThrow();
      if (defect == Defect.DROPS_CANCELLED_BATCHES) {
        flights.removeIf(flight -> flight.batch().isCancelled());
      }
    }

    @Override
    public void execute(Batch batch, Results results) {
      start(batch, results);
      if (defect == Defect.FORGETS_TO_FINISH_ALONE) {
        flights.getLast().store();
      } else {
        finish();
      }
    }

    @Override
    public void close() {
      arena.close();
    }
  }
}
