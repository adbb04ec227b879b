package io.nereid.tensorrt;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.tensorrt.cuda.PinnedMemory;
import io.nereid.tensorrt.cuda.PinnedPool;
import io.nereid.tensorrt.execution.ExecutionSettings;
import io.nereid.tensorrt.execution.SharedResources;
import io.nereid.tensorrt.execution.TensorRtInstance;
import io.nereid.tensorrt.signature.SignatureCheck;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * A loaded version of a model. The first instance on a device loads the engine, which the others on
 * that device share.
 */
final class TensorRtModel implements Model {
  private final ModelFiles files;
  private final ModelConfig config;
  private final ExecutionSettings settings;
  private final DeviceEngine.Loader loader;
  private final PinnedMemory pinned;
  private final PinnedPool outputPool;
  private final EnqueueLocks enqueueLocks;
  private final Map<Integer, DeviceEngine> engines = new ConcurrentSkipListMap<>();

  /** By device; held while its engine is loaded. */
  private final Map<Integer, Object> loadLocks = new ConcurrentHashMap<>();

  /**
   * @param pinned memory for inputs; of the backend, which outlives the model
   * @param outputPool memory for outputs; of the backend
   * @param enqueueLocks of the backend
   */
  TensorRtModel(
      ModelFiles files,
      ModelConfig config,
      ExecutionSettings settings,
      DeviceEngine.Loader loader,
      PinnedMemory pinned,
      PinnedPool outputPool,
      EnqueueLocks enqueueLocks) {
    this.files = files;
    this.config = config;
    this.settings = settings;
    this.loader = loader;
    this.pinned = pinned;
    this.outputPool = outputPool;
    this.enqueueLocks = enqueueLocks;
  }

  @Override
  public ModelInstance open(InstanceSettings instance) {
    requireGpu(instance);
    DeviceEngine own = engine(instance.deviceId());
    var shared =
        new SharedResources(
            own.device(),
            own.engine(),
            own.plan(),
            pinned,
            outputPool,
            own.usage(),
            enqueueLocks.ofDevice(own.device().id()));
    return TensorRtInstance.open(config, instance, settings, shared);
  }

  private void requireGpu(InstanceSettings instance) {
    switch (instance.kind()) {
      case KIND_GPU -> {}
      case KIND_CPU, KIND_MODEL, KIND_AUTO ->
          throw InferenceException.invalid(
              "unable to load model '%s', TensorRT backend supports only GPU device"
                  .formatted(config.name()));
    }
    if (!instance.secondaryDevices().isEmpty()) {
      throw InferenceException.invalid(
          ("unable to load model '%s': secondary device %s of %s is not supported: engines run on"
                  + " GPUs only")
              .formatted(
                  config.name(), instance.secondaryDevices().getFirst().kind(), instance.name()));
    }
  }

  /**
   * The engine on a device; loads it if this is the first instance there. Engines of several
   * devices are loaded at the same time.
   */
  private DeviceEngine engine(int gpu) {
    synchronized (loadLocks.computeIfAbsent(gpu, _ -> new Object())) {
      DeviceEngine present = engines.get(gpu);
      return present == null ? load(gpu) : present;
    }
  }

  private DeviceEngine load(int gpu) {
    DeviceEngine loaded = loader.load(files, config, gpu);
    try {
      new SignatureCheck(loaded.plan(), config).check();
    } catch (RuntimeException contradiction) {
      loaded.close();
      throw contradiction;
    }
    engines.put(gpu, loaded);
    return loaded;
  }

  @Override
  public Optional<HostAllocator> inputAllocator() {
    return settings.optimization().inputPinnedMemory() ? Optional.of(pinned) : Optional.empty();
  }

  /** Every allocated output is the target of one copy of all of its bytes. */
  @Override
  public boolean fillsOutputs() {
    return true;
  }

  @Override
  public List<MemoryUsage> memoryUsage() {
    return engines.values().stream()
        .map(own -> MemoryUsage.ofGpu(own.device().id(), Math.max(0, own.usage().get())))
        .toList();
  }

  @Override
  public void close() {
    engines.values().forEach(DeviceEngine::close);
    engines.clear();
  }
}
