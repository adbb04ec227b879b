package io.nereid.tck.execution;

import io.nereid.config.BatchInput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/** The inputs of a whole batch, each made when it is first asked for. */
final class GatheredInputs {
  private final ModelConfig config;
  private final TestBatch batch;
  private final LongFunction<MemorySegment> allocator;
  private final Map<String, Gathered> made = new HashMap<>();

  GatheredInputs(ModelConfig config, TestBatch batch, LongFunction<MemorySegment> allocator) {
    this.config = config;
    this.batch = batch;
    this.allocator = allocator;
  }

  /** An input of the whole batch, and the bytes that it was made with. */
  private record Gathered(Tensor tensor, MemorySegment copy) {
    boolean isUntouched() {
      return tensor.data().mismatch(copy) == -1;
    }
  }

  /** Whether they still hold the bytes that they were made with. */
  boolean areUntouched() {
    return made.values().stream().allMatch(Gathered::isUntouched);
  }

  void overwrite(byte fill) {
    made.values().forEach(each -> each.tensor().data().fill(fill));
  }

  /** Fills those with a byte that are no input of a request, and that nothing has written. */
  void overwriteOwn(byte fill) {
    made.values()
        .removeIf(each -> {
          boolean isUntouched = each.isUntouched();
          if (isUntouched && !isOfRequest(each.tensor().data())) {
            each.tensor().data().fill(fill);
          }
          return isUntouched;
        });
  }

  private boolean isOfRequest(MemorySegment data) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.request(i).inputs().stream().anyMatch(input -> input.data().equals(data))) {
        return true;
      }
    }
    return false;
  }

  Optional<Tensor> input(String name) {
    Gathered known = made.get(name);
    if (known != null) {
      return Optional.of(known.tensor());
    }
    Optional<Tensor> gathered = gather(name);
    gathered.ifPresent(tensor -> {
      byte[] bytes = tensor.data().toArray(ValueLayout.JAVA_BYTE);
      made.put(name, new Gathered(tensor, MemorySegment.ofArray(bytes)));
    });
    return gathered;
  }

  private Optional<Tensor> gather(String name) {
    Optional<BatchInput> computed = config.batchInput(name);
    if (computed.isPresent()) {
      List<Shape> sources = new ArrayList<>();
      for (int i = 0; i < batch.size(); i++) {
        sources.add(batch.input(i, computed.get().sourceInput()).orElseThrow().shape());
      }
      var value = ComputedInput.of(computed.get().kind(), sources);
      return Optional.of(value.tensor(name, computed.get().dataType(), allocator));
    }
    if (config.input(name).map(TensorConfig::shapeTensor).orElse(false)) {
      return batch.input(0, name); // the same for all requests
    }
    boolean ragged = config.input(name).map(TensorConfig::allowRaggedBatch).orElse(false);
    return concatenated(name, ragged);
  }

  private Optional<Tensor> concatenated(String name, boolean ragged) {
    List<Tensor> parts = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      batch.input(i, name).ifPresent(parts::add);
    }
    if (batch.size() == 1 || parts.isEmpty()) {
      return parts.stream().findFirst().map(part -> ragged ? flat(part) : part);
    }
    var first = parts.getFirst();
    var all = allocator.apply(parts.stream().mapToLong(Tensor::byteSize).sum());
    long offset = 0;
    for (Tensor part : parts) {
      Elements.copy(part.data(), all.asSlice(offset, part.byteSize()));
      offset += part.byteSize();
    }
    Shape shape =
        ragged
            ? Shape.of(parts.stream().mapToLong(part -> part.shape().elementCount()).sum())
            : first.shape().withFirst(parts.stream().mapToLong(part -> part.shape().dim(0)).sum());
    return Optional.of(new Tensor(name, first.dataType(), shape, all));
  }

  private static Tensor flat(Tensor tensor) {
    Shape shape = Shape.of(tensor.shape().elementCount());
    return new Tensor(tensor.name(), tensor.dataType(), shape, tensor.data());
  }
}
