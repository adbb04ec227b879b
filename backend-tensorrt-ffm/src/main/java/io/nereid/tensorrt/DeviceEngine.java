package io.nereid.tensorrt;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import io.nereid.tensorrt.build.Gpu;
import io.nereid.tensorrt.build.Plan;
import io.nereid.tensorrt.build.PlanSource;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.engine.CudaEngine;
import io.nereid.tensorrt.engine.InferenceRuntime;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import io.nereid.tensorrt.signature.PlanSignature;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A model's engine on one device, which the instances on that device share.
 *
 * @param usage bytes of device memory: of the engine, and what the instances add
 */
record DeviceEngine(
    CudaDevice device,
    InferenceRuntime runtime,
    CudaEngine engine,
    PlanSignature plan,
    AtomicLong usage)
    implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(DeviceEngine.class.getName());

  /**
   * Where engines come from.
   *
   * @param hostCode whether plans of the operator's repositories may contain code for the host
   */
  record Loader(TensorRt tensorRt, PlanSource plans, boolean hostCode) {
    /**
     * Deserialises the plan of a model for a GPU, which becomes that of the calling thread.
     *
     * @throws InferenceException if there is no plan, or TensorRT refuses it
     */
    DeviceEngine load(ModelFiles files, ModelConfig config, int gpuId) {
      try {
        CudaDevice device = CudaDevice.of(gpuId);
        device.use();
        var gpu = new Gpu(device.id(), device.name(), device.computeCapability());
        try (Plan plan = plans.open(files, config, gpu)) {
          long free = device.memory().free();
          boolean runsCode = hostCode && files.trust() != ModelFiles.Trust.CLIENT;
          return deserialize(config, device, plan, free, runsCode);
        }
      } catch (CudaException failed) {
        throw new InferenceException(
            StatusCode.UNAVAILABLE,
            "failed to load model '%s' on GPU %d: %s"
                .formatted(config.name(), gpuId, failed.getMessage()),
            failed);
      }
    }

    private DeviceEngine deserialize(
        ModelConfig config, CudaDevice device, Plan plan, long freeBefore, boolean runsCode) {
      InferenceRuntime runtime = null;
      CudaEngine engine = null;
      try {
        runtime = tensorRt.createRuntime(device.name());
        if (runsCode) {
          runtime.allowHostCode();
        }
        engine = runtime.deserialize(plan.bytes());
        PlanSignature signature = PlanSignatures.of(engine);
        long used = Math.max(0, freeBefore - device.memory().free());
        return new DeviceEngine(device, runtime, engine, signature, new AtomicLong(used));
      } catch (RuntimeException failed) {
        closeAfter(failed, engine);
        closeAfter(failed, runtime);
        if (failed instanceof TensorRtException refused) {
          throw new InferenceException(
              StatusCode.INTERNAL,
              "failed to load model '%s' from '%s': unable to create TensorRT engine: %s"
                  .formatted(config.name(), plan.file(), refused.getMessage()),
              refused);
        }
        throw failed;
      }
    }
  }

  private static void closeAfter(RuntimeException failure, @Nullable AutoCloseable resource) {
    if (resource != null) {
      try {
        resource.close();
      } catch (Exception secondary) {
        failure.addSuppressed(secondary);
      }
    }
  }

  /** Frees the engine, whose instances are closed; never throws. */
  @Override
  public void close() {
    try {
      device.use();
    } catch (CudaException failed) {
      LOG.log(System.Logger.Level.DEBUG, "the engine's device has failed", failed);
    }
    try (runtime;
        engine) {
      LOG.log(System.Logger.Level.DEBUG, "engine ''{0}'' is closed", engine.name());
    } catch (RuntimeException failed) {
      LOG.log(System.Logger.Level.WARNING, "an engine is closed with failures", failed);
    }
  }
}
