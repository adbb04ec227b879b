package io.nereid.tck.support;

import io.nereid.config.BatchInput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A batch in memory of its own, which ends when the batch is closed: a backend that kept one of its
 * tensors gets an exception from then on.
 */
public final class TestBatch implements Batch, AutoCloseable {
  private final ModelConfig config;
  private final Arena arena = Arena.ofShared();
  private final LongFunction<MemorySegment> allocator;
  private final List<InferenceRequest> requests = new ArrayList<>();
  private final List<List<Tensor>> sources = new ArrayList<>();
  private final BitSet padding = new BitSet();
  private boolean cancelled;
  private @Nullable Runnable onCancel;

  /** A batch in ordinary memory. */
  public TestBatch(ModelConfig config) {
    this.config = config;
    this.allocator = byteSize -> arena.allocate(byteSize, 64);
  }

  /** A batch in memory from {@code allocator}, which must outlive it. */
  public TestBatch(ModelConfig config, LongFunction<MemorySegment> allocator) {
    this.config = config;
    this.allocator = allocator;
  }

  /** Adds a request for all outputs; its inputs are copied. */
  public TestBatch add(List<Tensor> inputs) {
    return add(inputs, config.outputs().stream().map(TensorConfig::name).toList());
  }

  /** Adds a request for some outputs; its inputs are copied. */
  public TestBatch add(List<Tensor> inputs, List<String> outputs) {
    return add("request-" + requests.size(), inputs, outputs);
  }

  /** Adds a request for some outputs, with an id; its inputs are copied. */
  public TestBatch add(String id, List<Tensor> inputs, List<String> outputs) {
    var copies = inputs.stream().map(this::copy).toList();
    var key = new ModelKey(config.name(), 1);
    requests.add(new InferenceRequest(key, id, copies, outputs, RequestOptions.NONE));
    sources.add(List.copyOf(inputs));
    return this;
  }

  /** Adds a row without a request, as a direct sequence batch has; its inputs are copied. */
  public TestBatch addPadding(List<Tensor> inputs) {
    padding.set(requests.size());
    return add(inputs, List.of());
  }

  /** Whether the inputs still hold the bytes that they were made with. */
  public boolean inputsAreUntouched() {
    for (int i = 0; i < requests.size(); i++) {
      var inputs = requests.get(i).inputs();
      for (int k = 0; k < inputs.size(); k++) {
        if (inputs.get(k).data().mismatch(sources.get(i).get(k).data()) != -1) {
          return false;
        }
      }
    }
    return true;
  }

  /** Cancels all requests. */
  public synchronized void cancel() {
    cancelled = true;
    if (onCancel != null) {
      onCancel.run();
      onCancel = null;
    }
  }

  @Override
  public int size() {
    return requests.size();
  }

  @Override
  public InferenceRequest request(int index) {
    return requests.get(index);
  }

  @Override
  public long rows() {
    return requests.stream().mapToLong(request -> request.rows(config)).sum();
  }

  @Override
  public boolean isPadding(int index) {
    return padding.get(index);
  }

  @Override
  public Optional<Tensor> input(int index, String name) {
    return requests.get(index).inputs().stream()
        .filter(input -> input.name().equals(name))
        .findFirst();
  }

  @Override
  public Optional<Tensor> gathered(String name) {
    Optional<BatchInput> computed = config.batchInput(name);
    if (computed.isPresent()) {
      List<Shape> sources = new ArrayList<>();
      for (int i = 0; i < requests.size(); i++) {
        sources.add(input(i, computed.get().sourceInput()).orElseThrow().shape());
      }
      var value = ComputedInput.of(computed.get().kind(), sources);
      return Optional.of(value.tensor(name, computed.get().dataType(), allocator));
    }
    if (config.input(name).map(TensorConfig::shapeTensor).orElse(false)) {
      return input(0, name); // the same for all requests
    }
    boolean ragged = config.input(name).map(TensorConfig::allowRaggedBatch).orElse(false);
    return concatenated(name, ragged);
  }

  private Optional<Tensor> concatenated(String name, boolean ragged) {
    List<Tensor> parts = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      input(i, name).ifPresent(parts::add);
    }
    if (parts.isEmpty() || (parts.size() == 1 && !ragged)) {
      return parts.stream().findFirst();
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
            : first.shape().withFirst(rows());
    return Optional.of(new Tensor(name, first.dataType(), shape, all));
  }

  @Override
  public Tensor state(int index, String inputName) {
    return DeclaredStates.input(config, inputName)
        .flatMap(_ -> input(index, inputName))
        .orElseThrow(
            () -> new IllegalArgumentException("the model declares no state '" + inputName + "'"));
  }

  @Override
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  @Override
  public synchronized void onCancel(Runnable action) {
    if (cancelled) {
      action.run();
    } else {
      onCancel = action;
    }
  }

  @Override
  public void close() {
    arena.close();
  }

  private Tensor copy(Tensor source) {
    MemorySegment target = allocator.apply(source.byteSize());
    Elements.copy(source.data(), target);
    return new Tensor(source.name(), source.dataType(), source.shape(), target);
  }
}
