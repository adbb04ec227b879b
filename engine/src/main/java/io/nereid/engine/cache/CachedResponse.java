package io.nereid.engine.cache;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.spi.cache.CacheEntry;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The bytes of an entry: a response, preceded by the content of its request.
 *
 * <pre>
 *   the sizes of the next three parts
 *   {@link RequestContent#head}
 *   the description of the response: parameters, and all of the outputs but their bytes
 *   the bytes of the request's inputs
 *   the bytes of each output, aligned
 * </pre>
 */
final class CachedResponse {
  private static final long ALIGNMENT = 64;
  private static final long SIZES = 3L * Long.BYTES;

  private final byte[] head;
  private final MemorySegment inputs;
  private final byte[] description;
  private final List<Tensor> outputs;

  /**
   * @param head {@link RequestContent#head}
   * @param inputs the bytes of the request's inputs; borrowed, as those of the response
   */
  CachedResponse(byte[] head, MemorySegment inputs, InferenceResponse response) {
    this.head = head;
    this.inputs = inputs;
    this.outputs = response.outputs();
    var writer = new ByteWriter();
    writer.parameters(response.parameters());
    writer.number(outputs.size());
    outputs.forEach(writer::tensor);
    this.description = writer.toByteArray();
  }

  long byteSize() {
    long size = SIZES + head.length + description.length + inputs.byteSize();
    for (Tensor output : outputs) {
      size = aligned(size) + output.byteSize();
    }
    return size;
  }

  /** Writes the entry; {@code target} has {@link #byteSize} bytes. */
  void write(MemorySegment target) {
    target.set(Elements.LONG, 0, head.length);
    target.set(Elements.LONG, Long.BYTES, description.length);
    target.set(Elements.LONG, 2L * Long.BYTES, inputs.byteSize());
    long end = append(target, SIZES, MemorySegment.ofArray(head));
    end = append(target, end, MemorySegment.ofArray(description));
    end = append(target, end, inputs);
    for (Tensor output : outputs) {
      end = append(target, aligned(end), output.data());
    }
  }

  private static long append(MemorySegment target, long offset, MemorySegment bytes) {
    MemorySegment.copy(bytes, 0, target, offset, bytes.byteSize());
    return offset + bytes.byteSize();
  }

  private static long aligned(long offset) {
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /**
   * The response of an entry to a request, in the memory of the entry; empty if the entry is of a
   * request with another content.
   *
   * @param entry taken if there is a response, which owns it; otherwise borrowed
   * @throws IllegalStateException if the bytes are not those of an entry
   */
  static Optional<InferenceResponse> read(
      CacheEntry entry, RequestContent content, InferenceRequest request) {
    try {
      return parse(entry, content, request);
    } catch (IndexOutOfBoundsException
        | IllegalArgumentException
        | ArithmeticException
        | InferenceException damaged) {
      throw new IllegalStateException("an entry is damaged: " + damaged.getMessage(), damaged);
    }
  }

  private static Optional<InferenceResponse> parse(
      CacheEntry entry, RequestContent content, InferenceRequest request) {
    MemorySegment data = entry.data();
    long headSize = data.get(Elements.LONG, 0);
    long descriptionSize = data.get(Elements.LONG, Long.BYTES);
    long inputSize = data.get(Elements.LONG, 2L * Long.BYTES);
    long inputOffset = SIZES + headSize + descriptionSize;
    if (data.asSlice(SIZES, headSize).mismatch(MemorySegment.ofArray(content.head())) != -1
        || !content.inputsEqual(data.asSlice(inputOffset, inputSize))) {
      return Optional.empty();
    }
    var reader = new ByteReader(data.asSlice(SIZES + headSize, descriptionSize));
    Map<String, Parameter> parameters = reader.parameters();
    int count = reader.count();
    List<Tensor> outputs = new ArrayList<>(count);
    long end = inputOffset + inputSize;
    for (int i = 0; i < count; i++) {
      Tensor output = reader.tensor(data, aligned(end));
      outputs.add(output);
      end = aligned(end) + output.byteSize();
    }
    return Optional.of(
        new InferenceResponse(
            request.model(), request.id(), parameters, outputs, List.of(entry::close)));
  }
}
