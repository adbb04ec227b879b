package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.INetworkDefinition_getInput;
import io.nereid.tensorrt.bindings.nvinfer.INetworkDefinition_getNbInputs;
import io.nereid.tensorrt.bindings.nvinfer.ITensor_getDimensions;
import io.nereid.tensorrt.bindings.nvinfer.ITensor_getName;
import io.nereid.tensorrt.bindings.nvinfer.ITensor_isShapeTensor;
import io.nereid.tensorrt.bindings.nvinfer.trt10_INetworkDefinition;
import io.nereid.tensorrt.bindings.nvinfer.trt10_ITensor;
import io.nereid.tensorrt.bindings.nvinfer.trt11_INetworkDefinition;
import io.nereid.tensorrt.bindings.nvinfer.trt11_ITensor;
import io.nereid.tensorrt.bindings.nvinfer.trt_Dims;
import io.nereid.tensorrt.engine.MethodTable;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** {@code nvinfer1::INetworkDefinition}: what a plan is built from. */
public final class Network implements AutoCloseable {
  private final TensorRt tensorRt;
  private final NativeObject network;

  Network(TensorRt tensorRt, NativeObject network) {
    this.tensorRt = tensorRt;
    this.network = network;
  }

  MemorySegment address() {
    return network.address();
  }

  /**
   * The inputs. Which of them are shape tensors is known once the network is complete.
   *
   * @throws TensorRtException if TensorRT does not describe one
   */
  public List<NetworkInput> inputs() {
    MethodTable methods =
        MethodTable.of(
            network.impl(),
            tensorRt.version(),
            trt10_INetworkDefinition.layout(),
            trt11_INetworkDefinition.layout());
    int count =
        INetworkDefinition_getNbInputs.invoke(methods.method("getNbInputs"), network.impl());
    MemorySegment getInput = methods.method("getInput");
    List<NetworkInput> inputs = new ArrayList<>();
    try (var arena = Arena.ofConfined()) {
      for (int i = 0; i < count; i++) {
        tensorRt.clearError();
        MemorySegment address = INetworkDefinition_getInput.invoke(getInput, network.impl(), i);
        if (NativeObject.isNull(address)) {
          throw tensorRt.failure("TensorRT returned no input " + i);
        }
        inputs.add(input(Borrowed.of(address), i, arena));
      }
    }
    return inputs;
  }

  private NetworkInput input(Borrowed tensor, int index, Arena arena) {
    MethodTable methods =
        MethodTable.of(
            tensor.impl(), tensorRt.version(), trt10_ITensor.layout(), trt11_ITensor.layout());
    tensorRt.clearError();
    MemorySegment name = ITensor_getName.invoke(methods.method("getName"), tensor.impl());
    if (NativeObject.isNull(name)) {
      throw tensorRt.failure("TensorRT returned no name of input " + index);
    }
    MemorySegment dims =
        ITensor_getDimensions.invoke(methods.method("getDimensions"), arena, tensor.impl());
    int rank = trt_Dims.nbDims(dims);
    if (rank < 0) {
      throw tensorRt.failure("TensorRT returned no dimensions of input " + index);
    }
    List<Long> sizes = new ArrayList<>();
    for (int i = 0; i < rank; i++) {
      sizes.add(trt_Dims.d(dims, i));
    }
    return new NetworkInput(
        name.reinterpret(Long.MAX_VALUE).getString(0),
        sizes,
        ITensor_isShapeTensor.invoke(methods.method("isShapeTensor"), tensor.impl()));
  }

  @Override
  public void close() {
    network.close();
  }
}
