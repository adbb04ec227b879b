package io.nereid.tensorrt.engine;

import io.nereid.tensor.Shape;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getIOTensorName;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getName;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getNbIOTensors;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getNbOptimizationProfiles;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getProfileShape;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getProfileTensorValuesV2;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getTensorDataType;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getTensorFormatV2;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getTensorIOMode;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getTensorLocation;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_getTensorShape;
import io.nereid.tensorrt.bindings.nvinfer.ICudaEngine_isShapeInferenceIO;
import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.engine.EngineTensor.Location;
import io.nereid.tensorrt.engine.EngineTensor.Mode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads from an engine, once, what its tensors and profiles are. */
final class EngineReader {
  private static final List<Integer> SELECTORS =
      List.of(Nvinfer.kMIN(), Nvinfer.kOPT(), Nvinfer.kMAX());

  private final EngineMethods methods;
  private final MemorySegment impl;
  private final Dims dims;

  /**
   * @param arena in use as long as the reader
   */
  EngineReader(NativeObject engine, EngineMethods methods, Arena arena) {
    this.methods = methods;
    this.impl = engine.impl();
    this.dims = new Dims(arena);
  }

  /** The engine's name; empty if it has none. */
  String name() {
    MemorySegment name = ICudaEngine_getName.invoke(methods.getName(), impl);
    return NativeObject.isNull(name) ? "" : text(name);
  }

  int profileCount() {
    int count =
        ICudaEngine_getNbOptimizationProfiles.invoke(methods.getNbOptimizationProfiles(), impl);
    if (count < 1) {
      throw new TensorRtException("the engine has no optimization profile");
    }
    return count;
  }

  /** The names of the inputs and outputs, as TensorRT returns them: valid as long as the engine. */
  MemorySegment[] tensorNames() {
    int count = ICudaEngine_getNbIOTensors.invoke(methods.getNbIOTensors(), impl);
    if (count < 1) {
      throw new TensorRtException("the engine has no inputs and outputs");
    }
    var names = new MemorySegment[count];
    for (int i = 0; i < count; i++) {
      names[i] = ICudaEngine_getIOTensorName.invoke(methods.getIOTensorName(), impl, i);
      if (NativeObject.isNull(names[i])) {
        throw new TensorRtException("tensor %d of the engine has no name".formatted(i));
      }
    }
    return names;
  }

  /** A C string that TensorRT returned. */
  static String text(MemorySegment pointer) {
    return pointer.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /**
   * Describes an input or output.
   *
   * @throws TensorRtException if its type or format is not supported
   */
  EngineTensor tensor(int index, MemorySegment pointer, int profiles) {
    String name = text(pointer);
    int mode = ICudaEngine_getTensorIOMode.invoke(methods.getTensorIOMode(), impl, pointer);
    if (mode == Nvinfer.kNONE()) {
      throw new TensorRtException(
          "TensorRT does not tell whether '%s' is an input or an output".formatted(name));
    }
    int type = ICudaEngine_getTensorDataType.invoke(methods.getTensorDataType(), impl, pointer);
    int location = ICudaEngine_getTensorLocation.invoke(methods.getTensorLocation(), impl, pointer);
    ICudaEngine_getTensorShape.invoke(methods.getTensorShape(), dims, impl, pointer);
    var tensor =
        new EngineTensor(
            index,
            name,
            mode(mode, name),
            TensorTypes.dataType(type, name),
            knownShape("tensor '%s'".formatted(name)),
            location(location, name),
            ICudaEngine_isShapeInferenceIO.invoke(methods.isShapeInferenceIO(), impl, pointer));
    for (int profile = 0; profile < profiles; profile++) {
      int format =
          ICudaEngine_getTensorFormatV2.invoke(methods.getTensorFormatV2(), impl, pointer, profile);
      TensorTypes.requireLinear(format, name, profile);
    }
    return tensor;
  }

  private static Mode mode(int value, String tensor) {
    if (value == Nvinfer.kINPUT()) {
      return Mode.INPUT;
    }
    if (value == Nvinfer.kOUTPUT()) {
      return Mode.OUTPUT;
    }
    throw new TensorRtException("tensor '%s' is neither an input nor an output".formatted(tensor));
  }

  private static Location location(int value, String tensor) {
    if (value == Nvinfer.kHOST()) {
      return Location.HOST;
    }
    if (value == Nvinfer.kDEVICE()) {
      return Location.DEVICE;
    }
    throw new TensorRtException("tensor '%s' has the unknown location %d".formatted(tensor, value));
  }

  private Shape knownShape(String what) {
    if (dims.rank() < 0) {
      throw new TensorRtException("the engine does not report the dimensions of " + what);
    }
    return dims.shape();
  }

  /** What a profile allows for an input. */
  ProfileRange range(int profile, EngineTensor input, MemorySegment pointer) {
    var shapes = new ArrayList<Shape>();
    for (int selector : SELECTORS) {
      ICudaEngine_getProfileShape.invoke(
          methods.getProfileShape(), dims, impl, pointer, profile, selector);
      // NVIDIA's documents do not say whether a profile has an input of constant dimensions.
      shapes.add(
          dims.rank() < 0 && input.dims().isConcrete()
              ? input.dims()
              : knownShape("input '%s' in profile %d".formatted(input.name(), profile)));
    }
    return new ProfileRange(
        shapes.get(0),
        shapes.get(1),
        shapes.get(2),
        input.shapeTensor() ? values(profile, input, pointer) : Optional.empty());
  }

  private Optional<ProfileRange.Values> values(
      int profile, EngineTensor input, MemorySegment pointer) {
    if (NativeObject.isNull(methods.getProfileTensorValuesV2())) {
      return Optional.empty();
    }
    var values = new ArrayList<List<Long>>();
    for (int selector : SELECTORS) {
      MemorySegment first =
          ICudaEngine_getProfileTensorValuesV2.invoke(
              methods.getProfileTensorValuesV2(), impl, pointer, profile, selector);
      if (NativeObject.isNull(first)) {
        return Optional.empty();
      }
      // As many values as the tensor has elements, whose dimensions are constant.
      long count = input.dims().elementCount();
      long[] copy = first.reinterpret(count * Long.BYTES).toArray(ValueLayout.JAVA_LONG);
      values.add(Arrays.stream(copy).boxed().toList());
    }
    return Optional.of(new ProfileRange.Values(values.get(0), values.get(1), values.get(2)));
  }
}
