package io.nereid.tensorrt;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.SharedDeviceMemory;
import io.nereid.spi.TypedOptions;
import io.nereid.tensorrt.build.PlanSource;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.cuda.PinnedMemory;
import io.nereid.tensorrt.cuda.PinnedPool;
import io.nereid.tensorrt.engine.AllocationStrategy;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import io.nereid.tensorrt.execution.ExecutionSettings;
import io.nereid.tensorrt.library.GpuDevice;
import io.nereid.tensorrt.library.GpuReport;
import io.nereid.tensorrt.library.GpuSupport;
import io.nereid.tensorrt.library.NativeLibraries;
import io.nereid.tensorrt.library.Plugins;
import io.nereid.tensorrt.signature.SignatureCheck;
import io.nereid.tensorrt.signature.SignatureCompletion;
import java.util.List;

/** The backend {@code tensorrt}, whose options are {@link TensorRtOptions}. */
final class TensorRtBackend implements Backend {
  private static final System.Logger LOG = System.getLogger(TensorRtBackend.class.getName());
  private static final String STRATEGY = "execution_context_allocation_strategy";

  private final List<Integer> gpus;
  private final TensorRtOptions options;
  private final DeviceEngine.Loader loader;
  private final PinnedMemory pinned;
  private final PinnedPool outputPool;
  private final EnqueueLocks enqueueLocks;

  private TensorRtBackend(List<Integer> gpus, TensorRtOptions options, DeviceEngine.Loader loader) {
    this.gpus = List.copyOf(gpus);
    this.options = options;
    this.loader = loader;
    this.pinned = new PinnedMemory(CudaDevice.of(gpus.getFirst()));
    this.outputPool = new PinnedPool(pinned, options.pinnedPoolBytes());
    this.enqueueLocks = new EnqueueLocks(options.deviceBlocking());
  }

  /**
   * Opens the backend with the libraries of this machine.
   *
   * @throws InferenceException UNAVAILABLE if there is no GPU, or a library is missing
   */
  static TensorRtBackend open(TypedOptions configured) {
    var options = TensorRtOptions.of(configured);
    return switch (NativeLibraries.probe(configured)) {
      case GpuSupport.Unavailable missing -> throw InferenceException.unavailable(missing.reason());
      case GpuSupport.Available available -> open(configured, available, options);
    };
  }

  private static TensorRtBackend open(
      TypedOptions configured, GpuSupport.Available available, TensorRtOptions options) {
    available.bind();
    List<Integer> gpus = available.devices().stream().map(GpuDevice::id).toList();
    try {
      TensorRt tensorRt = TensorRt.open(gpus.size());
      LOG.log(System.Logger.Level.INFO, "{0}", GpuReport.line(available));
      Plugins.open(options.plugins());
      Plugins.register(available.plugins(), tensorRt.logger());
      var plans = PlanSource.of(configured, tensorRt, available);
      var loader = new DeviceEngine.Loader(tensorRt, plans, options.versionCompatible());
      return new TensorRtBackend(gpus, options, loader);
    } catch (CudaException | TensorRtException failed) {
      throw new InferenceException(
          StatusCode.UNAVAILABLE,
          "backend 'tensorrt' cannot be opened: " + failed.getMessage(),
          failed);
    }
  }

  @Override
  public ModelConfig complete(ModelFiles files, ModelConfig config) {
    if (!config.inputs().isEmpty() && !config.outputs().isEmpty() && config.batches()) {
      return config;
    }
    try (DeviceEngine own = loader.load(files, config, gpus.getFirst())) {
      var completed =
          new SignatureCompletion(own.plan(), config).complete(options.defaultMaxBatchSize());
      new SignatureCheck(own.plan(), completed).check();
      return completed;
    }
  }

  /**
   * A version-compatible plan has code for the host, which TensorRT runs if the operator allows.
   */
  @Override
  public boolean runsCodeOf(ModelConfig config) {
    return options.versionCompatible();
  }

  @Override
  public int defaultInstanceCount(InstanceSettings.Kind kind) {
    return 1;
  }

  @Override
  public List<Integer> gpus() {
    return gpus;
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    var settings = ExecutionSettings.of(config, strategy(config), options.coalesceRequestInput());
    return new TensorRtModel(files, config, settings, loader, pinned, outputPool, enqueueLocks);
  }

  private static AllocationStrategy strategy(ModelConfig config) {
    String value = config.parameters().getOrDefault(STRATEGY, "STATIC");
    return switch (value) {
      case "STATIC" -> AllocationStrategy.STATIC;
      case "ON_PROFILE_CHANGE" -> AllocationStrategy.ON_PROFILE_CHANGE;
      default ->
          throw InferenceException.invalid(
              ("Invalid value for '%s': '%s' for model '%s'. Supported values are 'STATIC' and"
                      + " 'ON_PROFILE_CHANGE'.")
                  .formatted(STRATEGY, value, config.name()));
    };
  }

  @Override
  public SharedDeviceMemory openSharedMemory(int gpu, byte[] handle, long byteSize) {
    return ClientMemory.open(gpu, handle, byteSize);
  }

  @Override
  public void cancelLoads() {
    loader.plans().cancelBuilds();
  }

  @Override
  public void close() {
    cancelLoads();
    try {
      outputPool.close();
    } catch (CudaException failed) {
      LOG.log(
          System.Logger.Level.WARNING, "page-locked memory is not freed: {0}", failed.getMessage());
    }
  }
}
