package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.rows;
import static io.nereid.tensorrt.TestPlans.underTest;
import static io.nereid.tensorrt.TestPlans.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.CudaSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.OptimizationSettings.Priority;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** How inputs and outputs travel, on the double of libcudart, which counts the copies. */
@UsesDoubles
class TransferDoubleTest {
  /** Floats per row of a request that is too large to be gathered: 32 KiB. */
  private static final int WIDE = 8192;

  private final CudartDouble cuda;

  TransferDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static ModelConfig config(boolean pinnedInputs, boolean pinnedOutputs, long threshold) {
    var optimization =
        new OptimizationSettings(
            0,
            Priority.DEFAULT,
            List.of(),
            List.of(),
            CudaSettings.DEFAULT,
            pinnedInputs,
            pinnedOutputs,
            threshold,
            false);
    return with(bare("m"), optimization);
  }

  private static ServedModel open(ModelConfig config, long width) {
    return ServedModel.open(underTest(config, doubling(width), Map.of()));
  }

  private static ServedModel open(long width) {
    return open(bare("m"), width);
  }

  private static List<List<Tensor>> requests(int count, int width) {
    List<List<Tensor>> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(List.of(rows("IN", 1, width, i)));
    }
    return requests;
  }

  /** Copies to the device and back that a batch took, after it was answered right. */
  private long copies(ServedModel served, TestBatch batch) {
    long before = cuda.calls("cudaMemcpyAsync");
    var flight = served.execute(batch);
    long copies = cuda.calls("cudaMemcpyAsync") - before;
    for (int i = 0; i < batch.size(); i++) {
      assertThat(floats(flight.output(i, "OUT"))).containsOnly(2 * i);
    }
    return copies;
  }

  @Test
  void largePageLockedInputsAreCopiedWhereTheyAre() {
    try (var served = open(WIDE)) {
      assertThat(copies(served, served.pinnedBatch(requests(3, WIDE)))).isEqualTo(3 + 1);
    }
  }

  @Test
  void smallPageLockedInputsAreGathered() {
    try (var served = open(4)) {
      assertThat(copies(served, served.pinnedBatch(requests(8, 4)))).isEqualTo(1 + 1);
    }
  }

  @Test
  void aSinglePageLockedInputIsNeverGathered() {
    try (var served = open(4)) {
      long pinned = cuda.calls("cudaHostAlloc");
      assertThat(copies(served, served.pinnedBatch(requests(1, 4)))).isEqualTo(1 + 1);
      // The request's input and the output's lease; there is no staging buffer.
      assertThat(cuda.calls("cudaHostAlloc") - pinned).isEqualTo(1 + 1);
    }
  }

  @Test
  void pageableInputsAreGathered() {
    try (var served = open(WIDE)) {
      assertThat(copies(served, served.batch(requests(4, WIDE)))).isEqualTo(1 + 1);
    }
  }

  @Test
  void pageLockedInputsBetweenPageableOnesSplitTheRun() {
    try (var served = open(WIDE)) {
      LongFunction<MemorySegment> pinned = served.allocator();
      var count = new int[1];
      var arena = Arena.ofShared();
      try {
        var batch =
            new TestBatch(
                served.config(),
                byteSize ->
                    count[0]++ == 2 ? pinned.apply(byteSize) : arena.allocate(byteSize, 64));
        requests(5, WIDE).forEach(batch::add);

        assertThat(copies(served, batch)).isEqualTo(3 + 1);
      } finally {
        arena.close();
      }
    }
  }

  @Test
  void withoutPinnedInputMemoryInputsAreCopiedWhereTheyAre() {
    try (var served = open(config(false, true, 0), 4)) {
      assertThat(served.model().inputAllocator()).isEmpty();
      assertThat(copies(served, served.batch(requests(3, 4)))).isEqualTo(3 + 1);
    }
  }

  @Test
  void theGatherThresholdGathersLargeInputsOfManyRequests() {
    try (var served = open(config(true, true, 3), WIDE)) {
      assertThat(copies(served, served.pinnedBatch(requests(2, WIDE)))).isEqualTo(2 + 1);
      assertThat(copies(served, served.pinnedBatch(requests(3, WIDE)))).isEqualTo(1 + 1);
    }
  }

  @Test
  void adjacentInputsAreCopiedAsOneIfTheOperatorSaysSo() {
    var tested = underTest(bare("m"), doubling(WIDE), Map.of("coalesce-request-input", "true"));
    try (var served = ServedModel.open(tested)) {
      long byteSize = 4L * WIDE;
      MemorySegment slab = served.allocator().apply(4 * byteSize);
      var next = new long[1];
      var batch =
          new TestBatch(
              served.config(),
              size -> {
                MemorySegment part = slab.asSlice(next[0], size);
                next[0] += size;
                return part;
              });
      requests(4, WIDE).forEach(batch::add);

      assertThat(copies(served, batch)).isEqualTo(1 + 1);
    }
  }

  @Test
  void withoutPinnedOutputMemoryOutputsAreCopiedIntoMemoryOfTheServer() {
    try (var served = open(config(true, false, 0), 4)) {
      long pinned = cuda.live("page-locked allocations");
      assertThat(copies(served, served.batch(requests(3, 4)))).isEqualTo(1 + 1);
      assertThat(cuda.live("page-locked allocations")).isEqualTo(pinned + 1); // staging
    }
  }

  @Test
  void withoutRoomInThePoolOutputsAreCopiedIntoMemoryOfTheServer() {
    var tested = underTest(bare("m"), doubling(4), Map.of("pinned-memory-pool-byte-size", "4096"));
    try (var served = ServedModel.open(tested)) {
      var first = served.start(served.batch(requests(1, 4)));
      var second = served.start(served.batch(requests(2, 4)));
      served.instance().finish();
      served.instance().finish();

      assertThat(floats(first.output(0, "OUT"))).containsOnly(0);
      assertThat(floats(second.output(1, "OUT"))).containsOnly(2);
    }
  }

  @Test
  void outputsThatNoClientWantsAreNotCopied() {
    try (var served = ServedModel.open(underTest("simple", TestPlans.simple()))) {
      var input = TestPlans.ints("INPUT0", Shape.of(1, 16), new int[16]);
      var other = TestPlans.ints("INPUT1", Shape.of(1, 16), new int[16]);
      var batch = new TestBatch(served.config());
      batch.add(List.of(input, other), List.of("OUTPUT1"));
      long before = cuda.calls("cudaMemcpyAsync");

      assertThat(served.execute(batch).outputs(0)).containsOnlyKeys("OUTPUT1");

      assertThat(cuda.calls("cudaMemcpyAsync") - before).isEqualTo(2 + 1);
    }
  }

  @Test
  void buffersAreAllocatedOnceForBatchesOfOneSize() {
    try (var served = open(4)) {
      for (int i = 0; i < 2; i++) { // both slots
        copies(served, served.batch(requests(8, 4)));
      }
      long allocations = cuda.calls("cudaMallocFromPoolAsync");
      for (int i = 0; i < 6; i++) {
        copies(served, served.batch(requests(8 - i, 4)));
      }
      assertThat(cuda.calls("cudaMallocFromPoolAsync")).isEqualTo(allocations);
    }
  }
}
