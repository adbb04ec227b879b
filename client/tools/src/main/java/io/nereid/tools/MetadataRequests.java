package io.nereid.tools;

import io.nereid.client.DataType;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.client.model.TensorMetadata;
import io.nereid.tools.data.DataException;
import io.nereid.tools.data.ElementBuffer;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Requests made of a model's metadata: floating-point numbers from 0 to 1, integers and booleans 0
 * or 1, strings of eight letters. A response cache does not have them all at once: they differ.
 */
final class MetadataRequests {
  private static final int REQUESTS = 16;
  private static final int LETTERS = 8;

  private final AskedModel model;
  private final int rows;

  /** The dimensions of a row, of inputs for which metadata does not have them all. */
  private final Map<String, List<Long>> shapes;

  private final RandomGenerator random;

  MetadataRequests(
      AskedModel model, int rows, Map<String, List<Long>> shapes, RandomGenerator random) {
    this.model = model;
    this.rows = rows;
    this.shapes = shapes;
    this.random = random;
  }

  /**
   * Makes the requests.
   *
   * @throws DataException if a dimension is not known, or the shape given for an input is not one
   *     of its
   */
  ModelRequests requests() {
    List<String> names = model.metadata().inputs().stream().map(TensorMetadata::name).toList();
    shapes.keySet().stream()
        .filter(name -> !names.contains(name))
        .findFirst()
        .ifPresent(name -> {
          throw new DataException(
              "--shape: model '%s' has no input '%s'; it has %s"
                  .formatted(model.metadata().name(), name, String.join(", ", names)));
        });
    return new ModelRequests(
        Stream.generate(this::request).limit(REQUESTS).toList(), hasRows() ? rows : 1, 0, "");
  }

  /** A failure of such a request, with what helps if a model does not take any text. */
  static NereidException explained(NereidException failure, AskedModel model) {
    boolean hasTexts =
        model.metadata().inputs().stream().anyMatch(input -> input.dataType().equals("BYTES"));
    return hasTexts && failure.code() == ErrorCode.INVALID_ARGUMENT
        ? new NereidException(
            failure.code(),
            failure.asked(),
            failure.sentence() + "; its texts were made up: --csv or --json gives rows to send",
            failure.mayHaveRun(),
            null,
            failure)
        : failure;
  }

  private boolean hasRows() {
    return model.metadata().inputs().stream()
        .anyMatch(input -> !input.shape().isEmpty() && input.shape().getFirst() == -1);
  }

  private InferRequest request() {
    InferRequest.Builder request = model.request();
    for (TensorMetadata input : model.metadata().inputs()) {
      request.input(input.name(), tensor(input));
    }
    return request.build();
  }

  private Tensor tensor(TensorMetadata input) {
    long[] shape = shape(input, shapes.get(input.name()));
    int count = 1;
    for (long dim : shape) {
      count = Math.toIntExact(Math.multiplyExact(count, dim));
    }
    DataType type = DataType.valueOf(input.dataType());
    ElementBuffer elements = new ElementBuffer(type, count);
    for (int i = 0; i < count; i++) {
      switch (type) {
        case FP16, FP32, BF16 -> elements.put(random.nextFloat());
        case FP64 -> elements.put(random.nextDouble());
        case BYTES -> elements.put(letters());
        case BOOL -> elements.put(random.nextBoolean() ? BigInteger.ONE : BigInteger.ZERO);
        case INT64, UINT64, INT32, UINT32, INT16, UINT16, INT8, UINT8 ->
            elements.put(BigInteger.valueOf(random.nextInt(2)));
      }
    }
    return elements.tensor(shape);
  }

  private String letters() {
    return random
        .ints(LETTERS, 'a', 'z' + 1)
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }

  private long[] shape(TensorMetadata input, @Nullable List<Long> given) {
    List<Long> shape = new ArrayList<>(input.shape());
    boolean hasRows = !shape.isEmpty() && shape.getFirst() == -1;
    if (hasRows) {
      shape.set(0, (long) rows);
    }
    int first = hasRows ? 1 : 0;
    if (given != null) {
      if (given.size() != shape.size() - first) {
        throw new DataException(
            "--shape: got %s for the input '%s' of the shape %s, expected %d dimensions"
                .formatted(given, input.name(), input.shape(), shape.size() - first));
      }
      for (int i = 0; i < given.size(); i++) {
        long own = shape.get(first + i);
        if (own != -1 && own != given.get(i)) {
          throw new DataException(
              "--shape: got %s for the input '%s' of the shape %s"
                  .formatted(given, input.name(), input.shape()));
        }
        shape.set(first + i, given.get(i));
      }
    }
    if (shape.contains(-1L)) {
      throw new DataException(
          "the input '%s' has the shape %s: say the size of a row by --shape %s=..., with commas between its dimensions, or give a file"
              .formatted(input.name(), input.shape(), input.name()));
    }
    return shape.stream().mapToLong(Long::longValue).toArray();
  }
}
