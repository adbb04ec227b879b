package io.nereid.server.codec.json;

import static io.nereid.server.codec.RequestLimits.MAX_NAME;

import io.nereid.engine.memory.region.RegionSlice;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.InputLeases;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader of a request's inputs, in order, and of the binary data after the JSON. */
final class JsonInputReader {
  static final String RAISE_THE_LIMIT = "Use --http-max-input-size to increase the limit.";
  static final String BINARY_DATA_SIZE = "binary_data_size";
  static final String REGION = "shared_memory_region";

  private final InputLeases leases;
  private final SharedRegions regions;
  private final long maxInputSize;
  private final String model;
  private final boolean takesNull;
  private final Set<String> names = new HashSet<>();
  private long offset;

  /**
   * @param offset of the binary data in the body
   * @param model its name, for messages
   * @param takesNull whether null is a missing value of the model
   */
  JsonInputReader(
      InputLeases leases,
      SharedRegions regions,
      long offset,
      long maxInputSize,
      String model,
      boolean takesNull) {
    this.leases = leases;
    this.regions = regions;
    this.offset = offset;
    this.maxInputSize = maxInputSize;
    this.model = model;
    this.takesNull = takesNull;
  }

  /**
   * Reads the next input.
   *
   * @param requestId for messages; empty if the client sent none
   */
  Tensor read(JsonValue input, String requestId) {
    JsonValue parameters = input.find("parameters");
    JsonValue binarySize = null;
    JsonValue region = null;
    if (parameters != null) { // what is no object has no members, as in Triton
      binarySize = parameters.find(BINARY_DATA_SIZE);
      region = parameters.find(REGION);
    }
    JsonValue text = input.find("data");
    requireOneSource(text, binarySize, region);
    String name = input.required("name").asString("the name of an input", MAX_NAME);
    String typeName = input.required("datatype").asString("the datatype of an input", MAX_NAME);
    Shape shape = shape(input.required("shape"));
    if (!names.add(name)) {
      throw RequestErrors.duplicateInput(requestId, name);
    }
    DataType dataType =
        DataType.parse(typeName)
            .orElseThrow(() -> InferenceException.invalid("invalid datatype for input " + name));
    long count = InputLeases.elementCount(name, shape);
    long byteSize = InputLeases.byteSize(name, count, dataType);
    MemorySegment data;
    if (binarySize != null) {
      data = binaryData(name, dataType, binarySize.asUnsignedLong());
    } else if (text != null) {
      data = count == 0 ? leases.lease(0) : jsonData(name, dataType, count, byteSize, text);
    } else {
      data = leases.read(slice(input.required("parameters"), regions));
    }
    return new Tensor(name, dataType, shape, data);
  }

  /** Rejects binary data after that of the last input. */
  void requireAllRead() {
    if (offset < leases.body().byteSize()) {
      throw InferenceException.invalid(
          "unexpected additional input data for model '%s'".formatted(model));
    }
  }

  private static void requireOneSource(
      @Nullable JsonValue data, @Nullable JsonValue binarySize, @Nullable JsonValue region) {
    int count = (data == null ? 0 : 1) + (binarySize == null ? 0 : 1) + (region == null ? 0 : 1);
    if (count != 1) {
      String sources =
          (data == null ? "" : " 'data'")
              + (binarySize == null ? "" : " '" + BINARY_DATA_SIZE + "'")
              + (region == null ? "" : " '" + REGION + "'");
      throw InferenceException.invalid(
          "Input must set only one of the following fields: 'data', 'binary_data_size' in"
              + " 'parameters', 'shared_memory_region' in 'parameters'. But "
              + (count == 0 ? "no field is set" : "set" + sources));
    }
  }

  private static Shape shape(JsonValue shape) {
    List<JsonValue> dims = shape.elements(RequestLimits.MAX_RANK, "dimensions of an input");
    long[] sizes = new long[dims.size()];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = dims.get(i).asUnsignedLong();
    }
    return Shape.of(sizes);
  }

  private MemorySegment binaryData(String name, DataType dataType, long byteSize) {
    long available = leases.body().byteSize() - offset;
    if (Long.compareUnsigned(byteSize, available) > 0) {
      throw InferenceException.invalid(
          "unexpected size for input '%s', expecting %s additional bytes for model '%s'"
              .formatted(name, Long.toUnsignedString(byteSize - available), model));
    }
    MemorySegment data = leases.slice(offset, byteSize, dataType);
    offset += byteSize;
    return data;
  }

  private MemorySegment jsonData(
      String name, DataType dataType, long count, long byteSize, JsonValue data) {
    data.requireArray();
    requireText(name, dataType);
    var reader = new JsonTensorData(name, dataType, data, takesNull);
    if (dataType == DataType.BYTES) {
      MemorySegment target = leases.lease(limited(name, reader.bytesSize()));
      reader.readBytes(target);
      return target;
    }
    // At most one element per two bytes of text, so a false shape costs little memory.
    limited(name, byteSize);
    long mostElements = Math.min(count, data.document().text().end() / 2L);
    MemorySegment target = leases.lease(mostElements * dataType.byteSize());
    long read = reader.read(count, target);
    if (read != count) {
      throw InferenceException.malformed(
          read < count
              ? "Failed to parse 'data' field: shape does not match true shape"
              : "Unable to parse 'data': Shape does not match true shape of 'data' field");
    }
    return target;
  }

  /** Rejects a type that has no JSON form. */
  static void requireText(String name, DataType dataType) {
    if (dataType == DataType.FP16 || dataType == DataType.BF16) {
      throw InferenceException.invalid(
          ("receiving %s data via JSON is not supported. Please use the binary data format for"
                  + " input %s")
              .formatted(dataType, name));
    }
  }

  private long limited(String name, long byteSize) {
    if (byteSize > maxInputSize) {
      throw InferenceException.invalid(
          ("JSON input '%s' has a byte_size (%d bytes) that exceeds the maximum allowed value of"
                  + " %d bytes. %s")
              .formatted(name, byteSize, maxInputSize, RAISE_THE_LIMIT));
    }
    return byteSize;
  }

  /** The part of a region that the parameters of a tensor name, owned by the caller. */
  static RegionSlice slice(JsonValue parameters, SharedRegions regions) {
    String region = parameters.required(REGION).asString("the name of a region", MAX_NAME);
    long offset = unsigned(parameters, "shared_memory_offset");
    long byteSize = unsigned(parameters, "shared_memory_byte_size");
    return regions.slice(region, offset, byteSize);
  }

  private static long unsigned(JsonValue parameters, String name) {
    JsonValue given = parameters.find(name);
    return given == null ? 0 : given.asUnsignedLong();
  }
}
