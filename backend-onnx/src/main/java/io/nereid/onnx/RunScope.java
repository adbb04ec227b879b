package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * What one run of the session answers: all requests of a batch, their rows in one piece; or, where
 * the model has no rows, a single request.
 */
sealed interface RunScope {
  Optional<Tensor> input(String name);

  boolean wants(String output);

  /** Memory for an output of a fixed-size type. */
  MemorySegment allocate(String output, DataType type, Shape shape);

  /** Gives an output in memory that {@code release} frees. */
  void give(Tensor output, Runnable release);

  /** Number of requests that strings and states are divided among. */
  int size();

  /** Rows of the request at {@code part}; unused where there is but one part. */
  long rows(int part);

  /** Memory for one request's strings. */
  MemorySegment allocateStrings(int part, String output, Shape shape, long byteSize);

  /** Whether there is no request behind that part. */
  boolean isPadding(int part);

  /** Memory for the state of one request's sequence. */
  MemorySegment allocateState(int part, String output, DataType type, Shape shape, long byteSize);

  /** All requests of a batch. */
  record Whole(Batch batch, Results results, ModelConfig config) implements RunScope {
    @Override
    public Optional<Tensor> input(String name) {
      return batch.gathered(name);
    }

    @Override
    public boolean wants(String output) {
      return results.wants(output);
    }

    @Override
    public MemorySegment allocate(String output, DataType type, Shape shape) {
      return results.allocateBatch(output, type, shape);
    }

    @Override
    public void give(Tensor output, Runnable release) {
      results.giveBatch(output, release);
    }

    @Override
    public int size() {
      return batch.size();
    }

    @Override
    public long rows(int part) {
      return batch.request(part).rows(config);
    }

    @Override
    public MemorySegment allocateStrings(int part, String output, Shape shape, long byteSize) {
      return results.allocate(part, output, DataType.BYTES, shape, byteSize);
    }

    @Override
    public boolean isPadding(int part) {
      return batch.isPadding(part);
    }

    @Override
    public MemorySegment allocateState(
        int part, String output, DataType type, Shape shape, long byteSize) {
      return results.allocateState(part, output, type, shape, byteSize);
    }
  }

  /** The request at {@code index} of a model without rows. */
  record Single(Batch batch, Results results, int index) implements RunScope {
    @Override
    public Optional<Tensor> input(String name) {
      return batch.size() == 1 ? batch.gathered(name) : batch.input(index, name);
    }

    @Override
    public boolean wants(String output) {
      return results.wants(index, output);
    }

    @Override
    public MemorySegment allocate(String output, DataType type, Shape shape) {
      return results.allocate(index, output, type, shape, shape.elementCount() * type.byteSize());
    }

    @Override
    public void give(Tensor output, Runnable release) {
      results.give(index, output, release);
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public long rows(int part) {
      return 1;
    }

    @Override
    public MemorySegment allocateStrings(int part, String output, Shape shape, long byteSize) {
      return results.allocate(index, output, DataType.BYTES, shape, byteSize);
    }

    @Override
    public boolean isPadding(int part) {
      return batch.isPadding(index);
    }

    @Override
    public MemorySegment allocateState(
        int part, String output, DataType type, Shape shape, long byteSize) {
      return results.allocateState(index, output, type, shape, byteSize);
    }
  }
}
