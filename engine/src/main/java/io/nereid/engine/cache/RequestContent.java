package io.nereid.engine.cache;

import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.spi.cache.CacheKey;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All of a request that determines its response: inputs, by name, with types, shapes and bytes; the
 * requested outputs; and the parameters that the protocol does not define. Not the id, the priority
 * and the timeout. Borrows the inputs of the request.
 */
final class RequestContent {
  private final byte[] head;

  /** Sorted by name. */
  private final List<Tensor> inputs;

  private RequestContent(byte[] head, List<Tensor> inputs) {
    this.head = head;
    this.inputs = inputs;
  }

  static RequestContent of(InferenceRequest request) {
    List<Tensor> inputs = sorted(request.inputs());
    var head = new ByteWriter();
    head.number(inputs.size());
    for (Tensor input : inputs) {
      head.tensor(input);
    }
    head.number(request.outputs().size());
    request.outputs().forEach(head::text);
    head.parameters(sorted(request.options().parameters()));
    return new RequestContent(head.toByteArray(), inputs);
  }

  private static List<Tensor> sorted(List<Tensor> inputs) {
    if (inputs.size() < 2) {
      return inputs;
    }
    List<Tensor> sorted = new ArrayList<>(inputs);
    sorted.sort(Comparator.comparing(Tensor::name));
    return sorted;
  }

  private static Map<String, Parameter> sorted(Map<String, Parameter> parameters) {
    return parameters.size() < 2 ? parameters : new TreeMap<>(parameters);
  }

  /** Everything but the bytes of the inputs; not to be changed. */
  byte[] head() {
    return head;
  }

  /** The size of the inputs. */
  long inputByteSize() {
    long size = 0;
    for (Tensor input : inputs) {
      size += input.byteSize();
    }
    return size;
  }

  CacheKey key(long generation, RequestHash hash) {
    RequestHash.State state = hash.new State();
    state.add(head);
    for (Tensor input : inputs) {
      state.add(input.data());
    }
    return new CacheKey(generation, state.high(), state.low());
  }

  /** Copies the bytes of all inputs, one after the other. */
  void copyInputs(MemorySegment target) {
    long offset = 0;
    for (Tensor input : inputs) {
      MemorySegment.copy(input.data(), 0, target, offset, input.byteSize());
      offset += input.byteSize();
    }
  }

  /** Whether the inputs have these bytes, one after the other; {@link #head} gives the sizes. */
  boolean inputsEqual(MemorySegment bytes) {
    long offset = 0;
    for (Tensor input : inputs) {
      if (bytes.asSlice(offset, input.byteSize()).mismatch(input.data()) != -1) {
        return false;
      }
      offset += input.byteSize();
    }
    return true;
  }
}
