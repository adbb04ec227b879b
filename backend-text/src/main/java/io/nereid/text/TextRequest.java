package io.nereid.text;

import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;

/** A request, of a batch or detached from one. */
sealed interface TextRequest {
  Map<String, Parameter> parameters();

  Optional<Tensor> input(String name);

  boolean wants(String output);

  MemorySegment allocate(String output, DataType type, Shape shape, long byteSize);

  /** One that is answered with its batch. */
  record OfBatch(Batch batch, Results results, int index) implements TextRequest {
    @Override
    public Map<String, Parameter> parameters() {
      return batch.request(index).options().parameters();
    }

    @Override
    public Optional<Tensor> input(String name) {
      return batch.input(index, name);
    }

    @Override
    public boolean wants(String output) {
      return results.wants(index, output);
    }

    @Override
    public MemorySegment allocate(String output, DataType type, Shape shape, long byteSize) {
      return results.allocate(index, output, type, shape, byteSize);
    }
  }

  /** One that is answered later. */
  record Later(DetachedRequest request) implements TextRequest {
    @Override
    public Map<String, Parameter> parameters() {
      return request.request().options().parameters();
    }

    @Override
    public Optional<Tensor> input(String name) {
      return request.input(name);
    }

    @Override
    public boolean wants(String output) {
      return request.wants(output);
    }

    @Override
    public MemorySegment allocate(String output, DataType type, Shape shape, long byteSize) {
      return request.allocate(output, type, shape, byteSize);
    }
  }
}
