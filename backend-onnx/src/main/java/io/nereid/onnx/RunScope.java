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
 * The requests that one run of the session computes: all requests of a batch, or, for a model
 * without a batch dimension, a single one. Each request is a part of the run, numbered from 0.
 *
 * @param only index of the single request in the batch; {@link #ALL} for all of them
 */
record RunScope(Batch batch, Results results, ModelConfig config, int only) {
  private static final int ALL = -1;

  static RunScope ofBatch(Batch batch, Results results, ModelConfig config) {
    return new RunScope(batch, results, config, ALL);
  }

  static RunScope ofRequest(Batch batch, Results results, ModelConfig config, int index) {
    return new RunScope(batch, results, config, index);
  }

  private int request(int part) {
    return only == ALL ? part : only;
  }

  Optional<Tensor> input(String name) {
    return only == ALL || batch.size() == 1 ? batch.gathered(name) : batch.input(only, name);
  }

  boolean wants(String output) {
    return only == ALL ? results.wants(output) : results.wants(only, output);
  }

  /** Allocates memory for an output of a type of fixed size. */
  MemorySegment allocate(String output, DataType type, Shape shape) {
    return only == ALL
        ? results.allocateBatch(output, type, shape)
        : results.allocate(only, output, type, shape, shape.elementCount() * type.byteSize());
  }

  /** Drops an output, for which memory was allocated. */
  void drop(String output) {
    for (int part = 0; part < size(); part++) {
      results.drop(request(part), output);
    }
  }

  /** Provides an output in memory that {@code release} frees. */
  void give(Tensor output, Runnable release) {
    if (only == ALL) {
      results.giveBatch(output, release);
    } else {
      results.give(only, output, release);
    }
  }

  /** The number of parts. */
  int size() {
    return only == ALL ? batch.size() : 1;
  }

  /** The number of rows of a part. */
  long rows(int part) {
    return only == ALL ? batch.request(part).rows(config) : 1;
  }

  /** Whether a part is padding and has no request. */
  boolean isPadding(int part) {
    return batch.isPadding(request(part));
  }

  /** Allocates memory for the strings of one part. */
  MemorySegment allocateStrings(int part, String output, Shape shape, long byteSize) {
    return results.allocate(request(part), output, DataType.BYTES, shape, byteSize);
  }

  /** Allocates memory for the state of one part's sequence. */
  MemorySegment allocateState(int part, String output, DataType type, Shape shape, long byteSize) {
    return results.allocateState(request(part), output, type, shape, byteSize);
  }
}
