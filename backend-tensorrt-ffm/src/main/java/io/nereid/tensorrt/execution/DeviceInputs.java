package io.nereid.tensorrt.execution;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of the batch that is being started: their shapes, and where their content lies. An
 * input is as many <em>pieces</em> as the batch has requests.
 *
 * <p>A request that lacks an input, or has one of another shape than the first, fails alone: the
 * engine gets zeros in its rows.
 */
final class DeviceInputs {
  private static final int MAX_RANK = 8;

  private final ModelConfig config;
  private final List<EngineInput> inputs;

  /** The dimensions of each input in the engine; of a shape tensor its values. */
  private final long[][] dims;

  private final int[] ranks;

  /** By input, then by request; null for a request that has failed. */
  private @Nullable MemorySegment[] pieces = new MemorySegment[0];

  /** By request: its rows, if it has failed; 1 if the model does not batch. */
  private long[] rowsOf = new long[0];

  /** By request: whether it has failed. */
  private boolean[] failed = new boolean[0];

  private int requests;
  private long rows;

  DeviceInputs(ModelConfig config, List<EngineInput> inputs) {
    this.config = config;
    this.inputs = inputs;
    this.dims = new long[inputs.size()][];
    for (EngineInput input : inputs) {
      boolean values = input.source() == EngineInput.Source.SHAPE;
      dims[input.position()] =
          new long[values ? (int) Math.max(1, input.dims().elementCount()) : MAX_RANK];
    }
    this.ranks = new int[inputs.size()];
  }

  /** The number of inputs. */
  int count() {
    return inputs.size();
  }

  /** The dimensions of an input, or the values of a shape tensor; {@link #rank} of them count. */
  long[] dims(int input) {
    return dims[input];
  }

  int rank(int input) {
    return ranks[input];
  }

  /** The rows of all requests; 1 if the model does not batch. */
  long rows() {
    return rows;
  }

  /** The number of requests. */
  int requests() {
    return requests;
  }

  /** The content that a request has for an input; null for zeros in its rows. */
  @Nullable MemorySegment piece(EngineInput input, int request) {
    return pieces[index(input, request)];
  }

  /** The rows of a request that has failed; 1 if the model does not batch. */
  long rowsOf(int request) {
    return rowsOf[request];
  }

  /**
   * Reads the shapes of a batch, and remembers where its content lies until {@link #forget}.
   *
   * @throws InferenceException if no request of the batch can be executed
   */
  void read(Batch batch, Results results) {
    requests = batch.size();
    rows = config.batches() ? batch.rows() : 1;
    if (pieces.length < inputs.size() * requests) {
      pieces = new MemorySegment[inputs.size() * requests];
    }
    if (failed.length < requests) {
      failed = new boolean[requests];
      rowsOf = new long[requests];
    }
    Arrays.fill(failed, 0, requests, false);
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      switch (input.source()) {
        case ROWS -> readRows(input, batch, results);
        case RAGGED -> readRagged(input, batch, results);
        case COMPUTED -> readWhole(input, batch);
        case SHAPE -> readValues(input, batch);
      }
    }
  }

  /** Forgets the tensors of the batch. */
  void forget() {
    Arrays.fill(pieces, null);
  }

  private void readRows(EngineInput input, Batch batch, Results results) {
    Shape first = null;
    for (int i = 0; i < requests; i++) {
      Tensor tensor = batch.input(i, input.name()).orElse(null);
      if (tensor == null) {
        fail(i, batch, results, missing(input));
      } else if (first == null) {
        first = tensor.shape();
      } else if (!sameRows(first, tensor.shape())) {
        fail(i, batch, results, misshapen(input, tensor.shape(), first));
        tensor = null;
      }
      pieces[index(input, i)] = tensor == null ? null : tensor.data();
    }
    if (first == null) {
      throw missing(input);
    }
    setRowDims(input, first);
    long rowSize = rowSize(input);
    long sum = 0;
    for (int i = 0; i < requests; i++) {
      MemorySegment piece = pieces[index(input, i)];
      sum += piece == null ? rowSize * rowsOf[i] : piece.byteSize();
    }
    if (sum != byteSize(input)) {
      throw InferenceException.internal(
          "model '%s', input '%s': %d rows of shape %s, but %d bytes"
              .formatted(config.name(), input.name(), rows, first, sum));
    }
  }

  private static boolean sameRows(Shape first, Shape other) {
    boolean same = first.rank() == other.rank();
    for (int axis = 1; axis < first.rank() && same; axis++) {
      same = first.dim(axis) == other.dim(axis);
    }
    return same;
  }

  private void setRowDims(EngineInput input, Shape shape) {
    long[] target = dims[input.position()];
    int rank = input.rank();
    ranks[input.position()] = rank;
    for (int axis = 0; axis < rank; axis++) {
      // Controls are one element per row, and configurations have one element for a scalar.
      target[axis] = shape.rank() == rank ? shape.dim(axis) : 1;
    }
    if (config.batches()) {
      target[0] = rows;
    }
  }

  private void readRagged(EngineInput input, Batch batch, Results results) {
    long elements = 0;
    boolean any = false;
    for (int i = 0; i < requests; i++) {
      Tensor tensor = batch.input(i, input.name()).orElse(null);
      if (tensor == null) {
        fail(i, batch, results, missing(input));
      } else {
        any = true;
        elements += tensor.shape().elementCount();
      }
      pieces[index(input, i)] = tensor == null ? MemorySegment.NULL : tensor.data();
    }
    if (!any) {
      throw missing(input);
    }
    dims[input.position()][0] = elements;
    ranks[input.position()] = 1;
  }

  private void readWhole(EngineInput input, Batch batch) {
    Tensor tensor = batch.gathered(input.name()).orElseThrow(() -> missing(input));
    int position = input.position();
    ranks[position] = tensor.shape().rank();
    for (int axis = 0; axis < ranks[position]; axis++) {
      dims[position][axis] = tensor.shape().dim(axis);
    }
    pieces[index(input, 0)] = tensor.data();
  }

  /** Reads the values of a shape tensor; the first is the batch size if the model batches. */
  private void readValues(EngineInput input, Batch batch) {
    Tensor tensor = batch.gathered(input.name()).orElseThrow(() -> missing(input));
    int position = input.position();
    int first = config.batches() && input.rank() > 0 ? 1 : 0;
    long count = tensor.byteSize() / input.elementSize() + first;
    if (count != dims[position].length) {
      throw InferenceException.invalid(
          ("model '%s', input '%s': mismatch between the number of shape values. Expecting %d. Got"
                  + " %d")
              .formatted(config.name(), input.name(), dims[position].length, count));
    }
    ranks[position] = (int) count;
    dims[position][0] = rows;
    for (int i = first; i < count; i++) {
      dims[position][i] = value(tensor, i - first);
    }
  }

  private static long value(Tensor tensor, int index) {
    return tensor.dataType() == DataType.INT32
        ? tensor.data().get(Elements.INT, (long) index * Integer.BYTES)
        : tensor.data().get(Elements.LONG, (long) index * Long.BYTES);
  }

  private int index(EngineInput input, int request) {
    return input.position() * requests + request;
  }

  private InferenceException missing(EngineInput input) {
    return InferenceException.invalid(
        "model '%s': input '%s' is missing".formatted(config.name(), input.name()));
  }

  private InferenceException misshapen(EngineInput input, Shape shape, Shape first) {
    return InferenceException.invalid(
        "model '%s', input '%s': shape %s in a batch of shape %s"
            .formatted(config.name(), input.name(), shape, first));
  }

  /** Fails one request; if none is left, all of them. */
  private void fail(int request, Batch batch, Results results, InferenceException failure) {
    if (!failed[request]) {
      failed[request] = true;
      rowsOf[request] = config.batches() ? batch.request(request).rows(config) : 1;
      results.fail(request, failure);
    }
    for (int i = 0; i < requests; i++) {
      if (!failed[i]) {
        return;
      }
    }
    throw failure;
  }

  /** The bytes of an input in the engine. */
  long byteSize(EngineInput input) {
    long elements = 1;
    for (int axis = 0; axis < ranks[input.position()]; axis++) {
      elements = Math.multiplyExact(elements, dims[input.position()][axis]);
    }
    return elements * input.elementSize();
  }

  /** The bytes of one row of an input in the engine; of all if the model does not batch. */
  long rowSize(EngineInput input) {
    return byteSize(input) / Math.max(1, config.batches() ? dims[input.position()][0] : 1);
  }
}
