package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.engine.testing.LogCapture;
import io.nereid.request.ModelKey;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client sees of output memory that the backend has not written. */
class OutputMemoryTest {
  private static final int EXECUTIONS = 25_000;

  /** What other requests have left in the memory of the pool. */
  private static final byte SECRET = (byte) 0xA5;

  private static final byte WRITTEN = 1;

  private static final ModelConfig CONFIG =
      ModelConfig.of("m", "b")
          .withSignature(
              8, List.of(), List.of(TensorConfig.of("OUT", DataType.UINT8, Shape.of(-1))));

  /** How the backend allocates the output of two requests, and what it writes of it. */
  enum Backend {
    NOTHING_OF_THE_BATCH {
      @Override
      void execute(Results results, long byteSize) {
        results.allocateBatch("OUT", DataType.UINT8, Shape.of(2, byteSize));
      }
    },
    THE_FIRST_ROW_OF_THE_BATCH {
      @Override
      void execute(Results results, long byteSize) {
        results
            .allocateBatch("OUT", DataType.UINT8, Shape.of(2, byteSize))
            .asSlice(0, byteSize)
            .fill(WRITTEN);
      }
    },
    NOTHING_OF_EACH_REQUEST {
      @Override
      void execute(Results results, long byteSize) {
        for (int i = 0; i < 2; i++) {
          results.allocate(i, "OUT", DataType.UINT8, Shape.of(1, byteSize), byteSize);
        }
      }
    },
    HALF_OF_EACH_REQUEST {
      @Override
      void execute(Results results, long byteSize) {
        for (int i = 0; i < 2; i++) {
          results
              .allocate(i, "OUT", DataType.UINT8, Shape.of(1, byteSize), byteSize)
              .asSlice(0, byteSize / 2)
              .fill(WRITTEN);
        }
      }
    };

    abstract void execute(Results results, long byteSize);
  }

  private static BatchResults results(
      List<PendingRequest> requests, BufferPool pool, boolean fillsOutputs) {
    var model =
        new Model() {
          @Override
          public boolean fillsOutputs() {
            return fillsOutputs;
          }

          @Override
          public ModelInstance open(InstanceSettings settings) {
            throw new AssertionError("no instance is opened");
          }

          @Override
          public void close() {}
        };
    var statistics = TestStatistics.of(new ModelKey("m", 1));
    return TestRequest.results(
        ExecutedModels.of(CONFIG, model, pool, () -> 0, statistics), requests);
  }

  /** Leaves data of other requests in blocks of that size. */
  private static void useByOthers(BufferPool pool, long byteSize) {
    List<Lease> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Lease lease = pool.lease(byteSize);
      lease.segment().fill(SECRET);
      others.add(lease);
    }
    others.forEach(Lease::close);
  }

  private static boolean holds(MemorySegment data, byte secret) {
    for (long i = 0; i < data.byteSize(); i++) {
      if (data.get(Elements.BYTE, i) == secret) {
        return true;
      }
    }
    return false;
  }

  @ParameterizedTest
  @EnumSource
  void holdsNothingOfOtherRequests(Backend backend) {
    var pool = new SlabPool(new ArenaAllocator(), 1L << 26);
    int leaks = 0;
    for (int i = 0; i < EXECUTIONS; i++) {
      long byteSize = 1L + i % 300;
      useByOthers(pool, byteSize);
      useByOthers(pool, 2 * byteSize);
      List<TestRequest> requests =
          Stream.of("a", "b").map(id -> TestRequest.of(pool, id, 1)).toList();
      var results = results(requests.stream().map(TestRequest::pending).toList(), pool, false);
      backend.execute(results, byteSize);
      results.deliver();
      for (TestRequest request : requests) {
        try (InferenceResponse response = request.outcome().response()) {
          leaks += holds(response.outputs().getFirst().data(), SECRET) ? 1 : 0;
        }
      }
    }

    assertThat(leaks).isZero();
    assertThat(pool.outstanding()).isZero();
    pool.close();
  }

  @Test
  void aReleaseThatThrowsIsALineOfTheLog() {
    var released = new AtomicInteger();
    try (var log = new LogCapture(InferenceResponse.class.getName())) {
      InferenceResponse.release(
          List.of(
              () -> {
                throw new StackOverflowError("of a test");
              },
              released::incrementAndGet));

      assertThat(log.messages()).containsExactly("the memory of an output was not released");
    }
    assertThat(released).hasValue(1);
  }

  @Test
  void isNotClearedForAModelThatFillsItsOutputs() {
    var pool = new CheckedBufferPool(); // its memory has a pattern
    TestRequest request = TestRequest.of(pool, "a", 1);
    var results = results(List.of(request.pending()), pool, true);

    MemorySegment memory = results.allocateBatch("OUT", DataType.UINT8, Shape.of(1, 64));
    assertThat(holds(memory, (byte) 0)).isFalse();
    results.deliver();
    request.outcome().response().close();
    assertThat(pool.outstanding()).isZero();
  }
}
