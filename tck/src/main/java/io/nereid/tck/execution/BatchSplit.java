package io.nereid.tck.execution;

import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The part of each request in an output of a whole batch. */
record BatchSplit(ModelConfig config, TestBatch batch) {
  private static IllegalArgumentException tooSmall(String text, Object... arguments) {
    return new IllegalArgumentException(text.formatted(arguments));
  }

  /**
   * A part for each request, in order, where it lies.
   *
   * @throws IllegalArgumentException if there is too little
   */
  List<Tensor> parts(Tensor all) {
    Optional<BatchOutput> scattered = config.batchOutput(all.name());
    if (scattered.isPresent()) {
      return scattered(all, scattered.get().sourceInput());
    }
    if (!config.batches()) {
      if (batch.size() != 1) {
        throw tooSmall("output '%s': a model without batches got %d", all.name(), batch.size());
      }
      return List.of(all);
    }
    return rows(all);
  }

  private List<Tensor> rows(Tensor all) {
    long allRows = all.shape().dim(0);
    if (allRows < batch.rows()) {
      throw tooSmall(
          "output '%s' has %d rows for a batch of %d", all.name(), allRows, batch.rows());
    }
    List<Tensor> parts = new ArrayList<>();
    long rowSize = allRows == 0 ? 0 : all.byteSize() / allRows;
    long offset = 0;
    for (int i = 0; i < batch.size(); i++) {
      long rows = batch.request(i).rows(config);
      var data = all.data().asSlice(offset, rows * rowSize);
      parts.add(new Tensor(all.name(), all.dataType(), all.shape().withFirst(rows), data));
      offset += rows * rowSize;
    }
    return parts;
  }

  /** Each request's part of a tensor: as declared, with what is open taken from its source. */
  private List<Tensor> scattered(Tensor all, String source) {
    Shape declared =
        config.output(all.name()).orElseThrow().modelSpec(config.maxBatchSize()).shape();
    List<Tensor> parts = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < batch.size(); i++) {
      long[] dims = declared.dims();
      for (int axis = 0; axis < dims.length; axis++) {
        dims[axis] =
            dims[axis] < 0 ? batch.input(i, source).orElseThrow().shape().dim(axis) : dims[axis];
      }
      long byteSize = Shape.of(dims).elementCount() * all.dataType().byteSize();
      if (offset + byteSize > all.byteSize()) {
        throw tooSmall("output '%s' has %d bytes, too few to scatter", all.name(), all.byteSize());
      }
      var data = all.data().asSlice(offset, byteSize);
      parts.add(new Tensor(all.name(), all.dataType(), Shape.of(dims), data));
      offset += byteSize;
    }
    return parts;
  }
}
