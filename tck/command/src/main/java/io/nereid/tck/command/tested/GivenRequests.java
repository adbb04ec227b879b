package io.nereid.tck.command.tested;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.Parameter;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensor.TensorSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a model is asked: a request of the v2 protocol in JSON, or an array of such. Of a model that
 * batches, requests have the rows of a given one, again and again, and begin with another of them
 * for each seed.
 */
final class GivenRequests {
  /**
   * A tensor.
   *
   * @param elements each as the protocol's bytes
   */
  private record Input(String name, DataType type, Shape shape, List<byte[]> elements) {
    Tensor whole() {
      return tensor(shape, 0);
    }

    /** So many rows, from one on, and from the first on behind the last. */
    Tensor rows(long rows, long from) {
      return tensor(shape.withFirst(rows), from * (elements.size() / shape.dim(0)));
    }

    private Tensor tensor(Shape wanted, long from) {
      var bytes = new ByteArrayOutputStream();
      for (long at = 0; at < wanted.elementCount(); at++) {
        bytes.writeBytes(elements.get(Math.floorMod(from + at, elements.size())));
      }
      return new Tensor(name, type, wanted, MemorySegment.ofArray(bytes.toByteArray()));
    }
  }

  private record Request(List<Input> inputs, Map<String, Parameter> parameters) {}

  private final Path file;
  private final List<Request> requests = new ArrayList<>();

  private GivenRequests(Path file) {
    this.file = file;
  }

  /**
   * Reads a file, which need not exist.
   *
   * @throws WrongArgument if it has no requests
   */
  static GivenRequests read(Path file) throws IOException {
    var given = new GivenRequests(file);
    if (!Files.exists(file)) {
      return given;
    }
    try {
      Object json = Json.parse(Files.readAllBytes(file));
      for (Object request : json instanceof List<?> several ? several : List.of(json)) {
        given.requests.add(request(request));
      }
    } catch (AssertionError | RuntimeException wrong) { // a cast or a number, of foreign text
      throw new WrongArgument(
          "--models: '%s' is no request of the v2 protocol: %s"
              .formatted(file, wrong.getMessage()));
    }
    return given;
  }

  private static Request request(Object json) {
    List<Input> inputs = Json.list(json, "inputs").stream().map(GivenRequests::input).toList();
    Map<String, Parameter> parameters = new HashMap<>();
    if (Json.object(json).get("parameters") instanceof Map<?, ?> given) {
      given.forEach((key, value) -> parameters.put((String) key, parameter(value)));
    }
    return new Request(inputs, parameters);
  }

  private static Parameter parameter(Object value) {
    return switch (value) {
      case String text -> new Parameter.OfString(text);
      case Boolean flag -> new Parameter.OfBoolean(flag);
      case BigDecimal number when number.scale() <= 0 ->
          new Parameter.OfLong(number.longValueExact());
      default -> new Parameter.OfDouble(((Number) value).doubleValue());
    };
  }

  private static Input input(Object json) {
    String name = (String) Json.member(json, "name");
    DataType type = DataType.valueOf((String) Json.member(json, "datatype"));
    List<Long> dims =
        Json.list(json, "shape").stream().map(dim -> ((BigDecimal) dim).longValueExact()).toList();
    List<byte[]> elements = elements(type, Json.member(json, "data")).toList();
    Shape shape = Shape.of(dims);
    if (elements.isEmpty() || elements.size() != shape.elementCount()) {
      throw new IllegalArgumentException(
          "input '%s' of shape %s has %d elements".formatted(name, shape, elements.size()));
    }
    return new Input(name, type, shape, elements);
  }

  /** The elements of a list, in which rows may be lists. */
  private static Stream<byte[]> elements(DataType type, Object json) {
    return json instanceof List<?> list
        ? list.stream().flatMap(each -> elements(type, each))
        : Stream.of(element(type, json));
  }

  private static byte[] element(DataType type, Object json) {
    if (type == DataType.BYTES) {
      return Samples.strings((String) json);
    }
    Number value = json instanceof Boolean flag ? (flag ? 1 : 0) : (Number) json;
    ByteBuffer bytes = ByteBuffer.allocate(type.byteSize()).order(ByteOrder.LITTLE_ENDIAN);
    switch (type) {
      case FP16 -> bytes.putShort(Float.floatToFloat16(value.floatValue()));
      case BF16 -> bytes.putShort((short) (Float.floatToRawIntBits(value.floatValue()) >>> 16));
      case FP32 -> bytes.putFloat(value.floatValue());
      case FP64 -> bytes.putDouble(value.doubleValue());
      case BOOL, INT8, UINT8 -> bytes.put(value.byteValue());
      case INT16, UINT16 -> bytes.putShort(value.shortValue());
      case INT32, UINT32 -> bytes.putInt(value.intValue());
      case INT64, UINT64 -> bytes.putLong(value.longValue());
      case BYTES -> throw new IllegalStateException("made by Samples");
    }
    return bytes.array();
  }

  /**
   * Refuses requests that are none of the model.
   *
   * @param config completed
   */
  void requireFit(ModelConfig config) {
    for (Request request : requests) {
      List<String> names = request.inputs().stream().map(Input::name).toList();
      for (TensorConfig declared : config.inputs()) {
        if (!declared.optional() && !names.contains(declared.name())) {
          throw new WrongArgument(
              "--models: '%s' lacks input '%s' of model '%s'"
                  .formatted(file, declared.name(), config.name()));
        }
      }
      request.inputs().forEach(input -> requireFit(config, input));
    }
  }

  private void requireFit(ModelConfig config, Input input) {
    TensorSpec expected =
        config
            .input(input.name())
            .orElseThrow(() ->
                new WrongArgument(
                    "--models: '%s' has input '%s', which model '%s' does not have"
                        .formatted(file, input.name(), config.name())))
            .modelSpec(config.maxBatchSize());
    if (expected.dataType() != input.type() || !expected.shape().accepts(input.shape())) {
      throw new WrongArgument(
          "--models: '%s' has input '%s' of %s %s, model '%s' expects %s %s"
              .formatted(
                  file,
                  input.name(),
                  input.type(),
                  input.shape(),
                  config.name(),
                  expected.dataType(),
                  expected.shape()));
    }
  }

  /** The inputs of a request; empty if none are given. */
  Optional<List<Tensor>> inputs(ModelConfig config, long rows, long seed) {
    return of(seed)
        .map(request ->
            request.inputs().stream()
                .map(input ->
                    isBatched(config, input.name()) ? input.rows(rows, seed) : input.whole())
                .toList());
  }

  private static boolean isBatched(ModelConfig config, String input) {
    return config.batches() && !config.input(input).map(TensorConfig::shapeTensor).orElse(false);
  }

  /** The parameters of a request. */
  Map<String, Parameter> parameters(long seed) {
    return of(seed).map(Request::parameters).orElse(Map.of());
  }

  private Optional<Request> of(long seed) {
    return requests.isEmpty()
        ? Optional.empty()
        : Optional.of(requests.get(Math.floorMod(seed, requests.size())));
  }
}
