package io.nereid.text.vector;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.text.folder.JsonFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file in the format safetensors: the size of its header in 8 bytes, the header in JSON, which
 * has type, shape and place of each tensor, and the tensors.
 *
 * @param file for messages
 * @param header of tensors by name
 * @param data the tensors
 */
record Safetensors(Path file, JsonObject header, MemorySegment data) {
  /** More than a layer behind a pooling has. */
  private static final long MAX_BYTES = 1L << 30;

  /**
   * @throws InferenceException if it cannot be read, or is no such file
   */
  static Safetensors read(Path file) {
    byte[] bytes;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw malformed(
            file, "it has %d bytes, at most %d are read".formatted(Files.size(file), MAX_BYTES));
      }
      bytes = Files.readAllBytes(file);
    } catch (IOException unreadable) {
      throw InferenceException.unavailable(
          "cannot read '%s': %s".formatted(file, IoReason.withPath(unreadable)));
    }
    MemorySegment all = MemorySegment.ofArray(bytes);
    long size = bytes.length < Long.BYTES ? -1 : all.get(Elements.LONG, 0);
    if (size < 0 || size > bytes.length - Long.BYTES) {
      throw malformed(file, "its header is cut off");
    }
    String text = new String(bytes, Long.BYTES, (int) size, StandardCharsets.UTF_8);
    if (!(JsonFile.parse(text, file.toString()) instanceof JsonObject header)) {
      throw malformed(file, "its header is no JSON object");
    }
    return new Safetensors(file, header, all.asSlice(Long.BYTES + size));
  }

  /**
   * A tensor of that shape.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is none, or it has another shape or type
   */
  float[] floats(String name, int... shape) {
    if (!(header.get(name) instanceof JsonObject tensor)) {
      throw malformed(file, "it has no tensor '%s'".formatted(name));
    }
    int[] found = Arrays.stream(longs(tensor, "shape")).mapToInt(Math::toIntExact).toArray();
    if (!Arrays.equals(found, shape)) {
      throw malformed(
          file,
          "tensor '%s' must have the shape %s, got %s"
              .formatted(name, Arrays.toString(shape), Arrays.toString(found)));
    }
    DataType type =
        switch (tensor.get("dtype") == null ? "" : tensor.get("dtype").getAsString()) {
          case "F32" -> DataType.FP32;
          case "F16" -> DataType.FP16;
          case "BF16" -> DataType.BF16;
          default ->
              throw malformed(
                  file,
                  "tensor '%s' must be of F32, F16 or BF16, got %s"
                      .formatted(name, tensor.get("dtype")));
        };
    int count = Arrays.stream(shape).reduce(1, Math::multiplyExact);
    long[] place = longs(tensor, "data_offsets");
    long byteSize = (long) count * type.byteSize();
    if (place.length != 2
        || place[0] < 0
        || place[0] > data.byteSize() - byteSize
        || place[1] != place[0] + byteSize) {
      throw malformed(
          file,
          "tensor '%s' of %d bytes cannot be at %s"
              .formatted(name, byteSize, Arrays.toString(place)));
    }
    float[] floats = new float[count];
    new Floats(data.asSlice(place[0], byteSize), type).read(0, floats);
    return floats;
  }

  private long[] longs(JsonObject tensor, String key) {
    if (tensor.get(key) instanceof JsonArray array
        && array.asList().stream().allMatch(Safetensors::isSize)) {
      return array.asList().stream().mapToLong(JsonElement::getAsLong).toArray();
    }
    throw malformed(file, "'%s' must be sizes, got %s".formatted(key, tensor.get(key)));
  }

  private static boolean isSize(JsonElement element) {
    return element.isJsonPrimitive() && element.getAsString().matches("[0-9]{1,9}");
  }

  private static InferenceException malformed(Path file, String reason) {
    return InferenceException.invalid("'%s' cannot be used: %s".formatted(file, reason));
  }
}
