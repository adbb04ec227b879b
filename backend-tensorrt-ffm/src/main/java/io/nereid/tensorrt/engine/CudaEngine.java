package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_createExecutionContext;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getDeviceMemorySizeForProfileV2;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getDeviceMemorySizeV2;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A deserialised plan: a model's weights on a device, shared by the execution contexts of its
 * instances. Usable from any thread; it is closed after its contexts.
 *
 * <p>All inputs and outputs are linear and of types that the protocol has; {@link
 * InferenceRuntime#deserialize} refuses others.
 */
public final class CudaEngine implements AutoCloseable {
  private final TensorRt tensorRt;
  private final NativeObject engine;
  private final EngineMethods methods;
  private final MemorySegment[] names;
  private final String name;
  private final List<EngineTensor> tensors;

  /** By profile, then by index of the input. */
  private final List<Map<Integer, ProfileRange>> ranges;

  /**
   * Reads the engine, which still belongs to the caller if this fails.
   *
   * @throws TensorRtException if an input or output is not supported
   */
  CudaEngine(TensorRt tensorRt, NativeObject engine) {
    this.tensorRt = tensorRt;
    this.engine = engine;
    this.methods = EngineMethods.of(engine, tensorRt.version());
    try (var arena = Arena.ofConfined()) {
      var reader = new EngineReader(engine, methods, arena);
      this.name = reader.name();
      this.names = reader.tensorNames();
      int profiles = reader.profileCount();
      this.tensors = tensors(reader, profiles);
      this.ranges = ranges(reader, profiles);
    }
  }

  private List<EngineTensor> tensors(EngineReader reader, int profiles) {
    var all = new ArrayList<EngineTensor>();
    for (int i = 0; i < names.length; i++) {
      all.add(reader.tensor(i, names[i], profiles));
    }
    return List.copyOf(all);
  }

  private List<Map<Integer, ProfileRange>> ranges(EngineReader reader, int profiles) {
    var all = new ArrayList<Map<Integer, ProfileRange>>();
    for (int profile = 0; profile < profiles; profile++) {
      var ofProfile = new HashMap<Integer, ProfileRange>();
      for (EngineTensor tensor : tensors) {
        if (tensor.isInput()) {
          int index = tensor.index();
          ofProfile.put(index, reader.range(profile, tensor, names[index]));
        }
      }
      all.add(Map.copyOf(ofProfile));
    }
    return List.copyOf(all);
  }

  /** The name that the engine was built with; may be empty. */
  public String name() {
    return name;
  }

  /** The inputs and outputs, by index. */
  public List<EngineTensor> tensors() {
    return tensors;
  }

  /** The number of optimization profiles, at least 1. */
  public int profileCount() {
    return ranges.size();
  }

  /**
   * What a profile allows for an input.
   *
   * @param tensor index of the input
   * @throws IllegalArgumentException if the tensor is an output
   */
  public ProfileRange range(int profile, int tensor) {
    ProfileRange range = ranges.get(profile).get(tensor);
    if (range == null) {
      throw new IllegalArgumentException("no input: " + tensors.get(tensor));
    }
    return range;
  }

  /**
   * The device memory that a context with {@link AllocationStrategy#STATIC} allocates, in bytes;
   * empty before TensorRT 10.1.
   */
  public OptionalLong deviceMemoryBytes() {
    return NativeObject.isNull(methods.getDeviceMemorySizeV2())
        ? OptionalLong.empty()
        : OptionalLong.of(
            ICudaEngine_getDeviceMemorySizeV2.invoke(
                methods.getDeviceMemorySizeV2(), engine.impl()));
  }

  /** The device memory that a context needs for a profile, in bytes; empty before TensorRT 10.1. */
  public OptionalLong deviceMemoryBytes(int profile) {
    return NativeObject.isNull(methods.getDeviceMemorySizeForProfileV2())
        ? OptionalLong.empty()
        : OptionalLong.of(
            ICudaEngine_getDeviceMemorySizeForProfileV2.invoke(
                methods.getDeviceMemorySizeForProfileV2(), engine.impl(), profile));
  }

  /**
   * Creates a context with profile 0. The engine's device is current on this thread.
   *
   * @throws TensorRtException if TensorRT does not create one, such as for want of memory
   */
  public ExecutionContext createContext(AllocationStrategy strategy) {
    tensorRt.clearError();
    MemorySegment address =
        NativeObject.create(() ->
            ICudaEngine_createExecutionContext.invoke(
                methods.createExecutionContext(), engine.impl(), strategy.value()));
    return new ExecutionContext(
        tensorRt, tensorRt.take("IExecutionContext", address, engine), tensors, names);
  }

  /**
   * Deletes the engine. Has no effect if it is closed.
   *
   * @throws IllegalStateException if one of its contexts is open
   */
  @Override
  public void close() {
    engine.close();
  }
}
