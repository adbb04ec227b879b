package io.nereid.tensorrt.engine;

import io.nereid.tensor.Shape;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_enqueueV3;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_getMaxOutputSize;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_getTensorShape;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_inferShapes;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_setInputConsumedEvent;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_setInputShape;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_setName;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_setOptimizationProfileAsync;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_setOutputAllocator;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_setTensorAddress;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one inference of an engine needs: a profile, shapes, addresses, and device memory for
 * intermediate results. One thread at a time uses it. Tensors are named by their index in {@link
 * CudaEngine#tensors}.
 *
 * <pre>{@code
 * context.setProfile(1, stream); // once, and whenever another profile is to be used
 * context.setInputShape(0, shape);
 * context.setAddress(0, input.address());
 * context.setAddress(1, output.address()); // of at least maxOutputSize(1) bytes
 * context.enqueue(stream);
 * }</pre>
 *
 * <p>Shapes and addresses remain until they are set again, except that a change of the profile
 * forgets all shapes. Addresses are in use until the stream has executed the inference.
 */
public final class ExecutionContext implements AutoCloseable {
  private final TensorRt tensorRt;
  private final NativeObject context;
  private final ContextMethods methods;
  private final List<EngineTensor> tensors;
  private final MemorySegment[] names;
  private final Arena arena = Arena.ofShared();
  private final Dims dims = new Dims(arena);
  private final MemorySegment missing;
  private @Nullable OutputAllocators allocators;

  /** Takes {@code context}. */
  ExecutionContext(
      TensorRt tensorRt, NativeObject context, List<EngineTensor> tensors, MemorySegment[] names) {
    this.tensorRt = tensorRt;
    this.context = context;
    this.methods = ContextMethods.of(context, tensorRt.version());
    this.tensors = tensors;
    this.names = names;
    this.missing = arena.allocate(ValueLayout.ADDRESS, names.length);
  }

  /** Names the context in TensorRT's messages and in profilers. */
  public void setName(String name) {
    MemorySegment impl = context.impl();
    try (var text = Arena.ofConfined()) {
      IExecutionContext_setName.invoke(methods.setName(), impl, text.allocateFrom(name));
    }
  }

  /**
   * Changes the profile and forgets all shapes. TensorRT may copy on the stream, so the next
   * enqueue is on the same one, or waits for it.
   *
   * @throws TensorRtException if TensorRT refuses it
   */
  public void setProfile(int profile, CudaStream stream) {
    tensorRt.clearError();
    if (!IExecutionContext_setOptimizationProfileAsync.invoke(
        methods.setOptimizationProfileAsync(), context.impl(), profile, stream.handle())) {
      throw tensorRt.failure("cannot use profile " + profile);
    }
  }

  /**
   * Sets the dimensions of an input.
   *
   * @throws TensorRtException if the engine or the profile does not admit them
   */
  public void setInputShape(int tensor, Shape shape) {
    MemorySegment impl = context.impl();
    dims.set(shape);
    setInputShape(impl, tensor);
  }

  /**
   * Sets the dimensions of an input, which are the first {@code rank} of {@code dims}.
   *
   * @throws TensorRtException if the engine or the profile does not admit them
   */
  public void setInputShape(int tensor, long[] dims, int rank) {
    MemorySegment impl = context.impl();
    this.dims.set(dims, rank);
    setInputShape(impl, tensor);
  }

  private void setInputShape(MemorySegment impl, int tensor) {
    tensorRt.clearError();
    if (!IExecutionContext_setInputShape.invoke(
        methods.setInputShape(), impl, names[tensor], dims.memory())) {
      throw tensorRt.failure(
          "input '%s' cannot have shape %s".formatted(name(tensor), dims.shape()));
    }
  }

  /** The dimensions of a tensor, as {@link #readShape} reads them. */
  public Shape shape(int tensor) {
    return read(tensor).shape();
  }

  /**
   * Reads the dimensions of a tensor: of an output with an allocator, those that the last enqueue
   * reported; otherwise those that follow from the shapes of the inputs, with {@link
   * Shape#WILDCARD} for those that are not known.
   *
   * @param target of at least 8 elements
   * @return the number of dimensions
   */
  public int readShape(int tensor, long[] target) {
    return read(tensor).get(target);
  }

  private Dims read(int tensor) {
    MemorySegment impl = context.impl();
    Dims reported = allocators == null ? null : allocators.shape(tensor);
    if (reported != null) {
      return reported;
    }
    tensorRt.clearError();
    IExecutionContext_getTensorShape.invoke(methods.getTensorShape(), dims, impl, names[tensor]);
    if (dims.rank() < 0) {
      throw tensorRt.failure("the shape of '%s' is not known".formatted(name(tensor)));
    }
    return dims;
  }

  /**
   * Sets where the content of a tensor lies, which must be aligned to 256 bytes.
   *
   * @param address in device memory, or in host memory if the tensor's location says so; {@link
   *     MemorySegment#NULL} for none
   * @throws TensorRtException if TensorRT refuses it
   */
  public void setAddress(int tensor, MemorySegment address) {
    tensorRt.clearError();
    if (!IExecutionContext_setTensorAddress.invoke(
        methods.setTensorAddress(), context.impl(), names[tensor], address)) {
      throw tensorRt.failure("cannot set the address of '%s'".formatted(name(tensor)));
    }
  }

  /**
   * Computes the shapes of outputs, and writes outputs that are shape tensors.
   *
   * @return the names of the inputs whose shape, or address of a shape tensor, is not set; empty if
   *     the shapes have been computed
   * @throws TensorRtException if they cannot be computed from what is set
   */
  public List<String> inferShapes() {
    tensorRt.clearError();
    int result =
        IExecutionContext_inferShapes.invoke(
            methods.inferShapes(), context.impl(), names.length, missing);
    if (result == 0) {
      return List.of();
    }
    if (result < 0) {
      throw tensorRt.failure("cannot compute the shapes of the outputs");
    }
    var inputs = new ArrayList<String>();
    for (int i = 0; i < Math.min(result, names.length); i++) {
      inputs.add(EngineReader.text(missing.getAtIndex(ValueLayout.ADDRESS, i)));
    }
    return inputs;
  }

  /**
   * Sets the event that an enqueue records once the inputs are read.
   *
   * @param event borrowed until another is set; null for none
   * @throws TensorRtException if TensorRT refuses it
   */
  public void setInputConsumedEvent(@Nullable CudaEvent event) {
    tensorRt.clearError();
    if (!IExecutionContext_setInputConsumedEvent.invoke(
        methods.setInputConsumedEvent(),
        context.impl(),
        event == null ? MemorySegment.NULL : event.handle())) {
      throw tensorRt.failure("cannot set the event for consumed inputs");
    }
  }

  /**
   * Sets what allocates the memory of an output when its size is known. An output without one needs
   * an address.
   *
   * @param allocator null for none
   * @throws TensorRtException if TensorRT refuses it
   */
  public void setOutputAllocator(int tensor, @Nullable OutputAllocator allocator) {
    MemorySegment impl = context.impl();
    if (allocators == null) {
      allocators = new OutputAllocators(names.length, arena);
    }
    MemorySegment object = MemorySegment.NULL;
    if (allocator == null) {
      allocators.unset(tensor);
    } else {
      object = allocators.set(tensor, allocator);
    }
    tensorRt.clearError();
    if (!IExecutionContext_setOutputAllocator.invoke(
        methods.setOutputAllocator(), impl, names[tensor], object)) {
      throw tensorRt.failure("cannot set an allocator of output '%s'".formatted(name(tensor)));
    }
  }

  /**
   * The most bytes that an output can have with the present profile and shapes.
   *
   * @throws TensorRtException if TensorRT cannot tell
   */
  public long maxOutputSize(int tensor) {
    tensorRt.clearError();
    long byteSize =
        IExecutionContext_getMaxOutputSize.invoke(
            methods.getMaxOutputSize(), context.impl(), names[tensor]);
    if (byteSize < 0) {
      throw tensorRt.failure("the size of output '%s' is not known".formatted(name(tensor)));
    }
    return byteSize;
  }

  /**
   * Enqueues an inference with the present profile, shapes and addresses. It waits for the device
   * only if the shapes of outputs depend on data.
   *
   * @throws TensorRtException if TensorRT refuses it; the cause is what an {@link OutputAllocator}
   *     has thrown, if one has
   */
  public void enqueue(CudaStream stream) {
    MemorySegment impl = context.impl();
    if (allocators != null) {
      allocators.reset();
    }
    tensorRt.clearError();
    boolean enqueued =
        IExecutionContext_enqueueV3.invoke(methods.enqueueV3(), impl, stream.handle());
    Throwable failure = allocators == null ? null : allocators.failure();
    if (!enqueued || failure != null) {
      throw tensorRt.failure("cannot enqueue the inference", failure);
    }
  }

  private String name(int tensor) {
    return tensors.get(tensor).name();
  }

  /** Deletes the context, whose inferences have been executed. Has no effect if it is closed. */
  @Override
  public void close() {
    context.close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
