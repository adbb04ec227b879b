package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.underTest;
import static io.nereid.tensorrt.TestPlans.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.CudaSettings;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelCalls;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.doubles.HeapAllocation;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a batch costs on the Java heap, with the doubles, which make no difference to the Java code:
 * for each output the objects that {@link Results} takes, and nothing else.
 */
@Tag("allocation")
@UsesDoubles
class HeapAllocationOfBatchesDoubleTest {
  private static final int BATCHES = 1000;

  /** A tensor, a segment of the leased memory, and the action that releases it. */
  private static final long BYTES_PER_OUTPUT = 96;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBatchAllocatesWhatItGivesToTheResultsOnly(boolean graphs) {
    var cuda = new CudaSettings(graphs, false, List.of(), false);
    try (var served = ServedModel.open(underTest(with(bare("m"), cuda), doubling(4), Map.of()))) {
      var memory = served.allocator().apply(2 * 16);
      var batch = new OneRequest(new Tensor("IN", DataType.FP32, Shape.of(2, 4), memory));
      PipelinedInstance instance = served.instance();
      Runnable execution =
          () -> {
            instance.start(batch, NoResults.INSTANCE);
            boolean _ = instance.canStart();
            boolean _ = instance.isFinished();
            instance.finish();
          };

      assertThat(HeapAllocation.least(BATCHES, BATCHES * BYTES_PER_OUTPUT, execution))
          .as("bytes of %d batches", BATCHES)
          .isLessThanOrEqualTo(BATCHES * BYTES_PER_OUTPUT);
    }
  }

  /** A batch of one request, which allocates nothing. */
  private static final class OneRequest implements Batch {
    private final Optional<Tensor> input;
    private final InferenceRequest request;

    OneRequest(Tensor input) {
      this.input = Optional.of(input);
      this.request =
          new InferenceRequest(
              new ModelKey("m", 1), "", List.of(input), List.of("OUT"), RequestOptions.NONE);
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public InferenceRequest request(int index) {
      return request;
    }

    @Override
    public long rows() {
      return 2;
    }

    @Override
    public boolean isPadding(int index) {
      return false;
    }

    @Override
    public Optional<Tensor> input(int index, String name) {
      return input;
    }

    @Override
    public Optional<Tensor> gathered(String name) {
      return input;
    }

    @Override
    public Tensor state(int index, String inputName) {
      throw new AssertionError("there are no states");
    }

    @Override
    public ModelCalls calls(int index) {
      throw new IllegalStateException("no calls");
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public boolean isCancelled(int index) {
      return false;
    }

    @Override
    public Optional<Duration> remaining(int index) {
      return Optional.empty();
    }

    @Override
    public void onCancel(Runnable action) {
      throw new AssertionError("there is nothing to do when it is cancelled");
    }
  }

  /** Results that release what they get. */
  private enum NoResults implements Results {
    INSTANCE;

    @Override
    public boolean isTraced(int index) {
      return false;
    }

    @Override
    public void activity(int index, String name, long nanoTime) {}

    @Override
    public boolean wants(int index, String output) {
      return true;
    }

    @Override
    public boolean wants(String output) {
      return true;
    }

    @Override
    public void giveBatch(Tensor output, Runnable release) {
      release.run();
    }

    @Override
    public void computeStarted() {}

    @Override
    public void computeEnded() {}

    @Override
    public void computed(long inferNanos, long outputNanos) {}

    @Override
    public MemorySegment allocateBatch(String output, DataType dataType, Shape shape) {
      throw unexpected();
    }

    @Override
    public MemorySegment allocate(
        int index, String output, DataType dataType, Shape shape, long byteSize) {
      throw unexpected();
    }

    @Override
    public void give(int index, Tensor output, Runnable release) {
      throw unexpected();
    }

    @Override
    public void drop(int index, String output) {
      throw unexpected();
    }

    @Override
    public void parameter(int index, String name, Parameter value) {
      throw unexpected();
    }

    @Override
    public MemorySegment allocateState(
        int index, String outputName, DataType dataType, Shape shape, long byteSize) {
      throw unexpected();
    }

    @Override
    public void send(int index) {
      throw unexpected();
    }

    @Override
    public void finish(int index) {
      throw unexpected();
    }

    @Override
    public void reschedule(int index) {
      throw unexpected();
    }

    @Override
    public DetachedRequest detach(int index) {
      throw unexpected();
    }

    @Override
    public void fail(int index, InferenceException failure) {
      throw unexpected();
    }

    private static AssertionError unexpected() {
      return new AssertionError("the batch is answered by giveBatch");
    }
  }
}
