package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.IBuilder_buildSerializedNetwork;
import io.nereid.tensorrt.bindings.nvinfer.IBuilder_createBuilderConfig;
import io.nereid.tensorrt.bindings.nvinfer.IBuilder_createNetworkV2;
import io.nereid.tensorrt.bindings.nvinfer.IBuilder_createOptimizationProfile;
import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.bindings.nvinfer.trt10_IBuilder;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IBuilder;
import io.nereid.tensorrt.engine.MethodTable;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import java.lang.foreign.MemorySegment;

/**
 * {@code nvinfer1::IBuilder}: makes plans of networks, for the device that was current when it was
 * created.
 *
 * <pre>{@code
 * try (var builder = NetworkBuilder.create(tensorRt);
 *     Network network = builder.createNetwork(false);
 *     var parser = OnnxParser.create(tensorRt, network);
 *     BuilderConfig config = builder.createConfig()) {
 *   List<String> errors = parser.parse(file);
 *   try (HostMemory plan = builder.build(network, config)) {
 *     ...
 *   }
 * }
 * }</pre>
 */
public final class NetworkBuilder implements AutoCloseable {
  private final TensorRt tensorRt;
  private final NativeObject builder;
  private final MethodTable methods;

  private NetworkBuilder(TensorRt tensorRt, NativeObject builder) {
    this.tensorRt = tensorRt;
    this.builder = builder;
    this.methods =
        MethodTable.of(
            builder.impl(), tensorRt.version(), trt10_IBuilder.layout(), trt11_IBuilder.layout());
  }

  /**
   * Creates a builder.
   *
   * @throws TensorRtException if TensorRT does not create one, such as for want of its files
   */
  public static NetworkBuilder create(TensorRt tensorRt) {
    return new NetworkBuilder(tensorRt, tensorRt.createBuilder());
  }

  /**
   * Creates a network without layers, which is closed before the builder.
   *
   * @param stronglyTyped whether the types of the network's tensors are kept; TensorRT 11 always
   *     does that, and has no flag for it
   */
  public Network createNetwork(boolean stronglyTyped) {
    int flags =
        stronglyTyped && tensorRt.version().major() == 10
            ? 1 << Nvinfer.trt10_kSTRONGLY_TYPED()
            : 0;
    tensorRt.clearError();
    MemorySegment address =
        IBuilder_createNetworkV2.invoke(methods.method("createNetworkV2"), builder.impl(), flags);
    return new Network(tensorRt, tensorRt.take("INetworkDefinition", address, builder));
  }

  /** Creates a configuration, which is closed before the builder. */
  public BuilderConfig createConfig() {
    tensorRt.clearError();
    MemorySegment address =
        IBuilder_createBuilderConfig.invoke(methods.method("createBuilderConfig"), builder.impl());
    return new BuilderConfig(tensorRt, tensorRt.take("IBuilderConfig", address, builder));
  }

  /** Creates a profile without ranges, which belongs to the builder. */
  public OptimizationProfile createProfile() {
    tensorRt.clearError();
    MemorySegment address =
        IBuilder_createOptimizationProfile.invoke(
            methods.method("createOptimizationProfile"), builder.impl());
    if (NativeObject.isNull(address)) {
      throw tensorRt.failure("TensorRT created no IOptimizationProfile");
    }
    return new OptimizationProfile(tensorRt, builder, Borrowed.of(address));
  }

  /**
   * Builds a plan, which takes seconds to hours.
   *
   * @throws TensorRtException if it fails, or the progress monitor ends it
   */
  public HostMemory build(Network network, BuilderConfig config) {
    tensorRt.clearError();
    MemorySegment address =
        IBuilder_buildSerializedNetwork.invoke(
            methods.method("buildSerializedNetwork"),
            builder.impl(),
            network.address(),
            config.address());
    return HostMemory.take(tensorRt, address);
  }

  @Override
  public void close() {
    builder.close();
  }
}
