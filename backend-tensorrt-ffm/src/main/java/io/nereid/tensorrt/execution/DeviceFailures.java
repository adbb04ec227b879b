package io.nereid.tensorrt.execution;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.engine.TensorRtException;

/**
 * What failures of CUDA and TensorRT mean for requests.
 *
 * <p>After a <em>sticky</em> error of CUDA no call for the device succeeds any more in this
 * process. Batches then fail as UNAVAILABLE with the text of that error, and instances are not
 * healthy.
 *
 * @param model its name, for messages
 */
public record DeviceFailures(String model, CudaDevice device) {
  /** Whether the device works; any thread may ask. */
  boolean isHealthy() {
    return device.failure() == null;
  }

  /**
   * @throws InferenceException UNAVAILABLE if the device has failed
   */
  void requireHealthy() {
    CudaException first = device.failure();
    if (first != null) {
      throw lost(first);
    }
  }

  /** The failure as requests see it. What is neither of CUDA nor of TensorRT stays as it is. */
  public RuntimeException of(RuntimeException failure) {
    CudaException first = device.failure();
    return switch (failure) {
      case CudaException cuda when first == null ->
          new InferenceException(
              cuda.isOutOfMemory() ? StatusCode.UNAVAILABLE : StatusCode.INTERNAL,
              "model '%s': %s".formatted(model, cuda.getMessage()),
              cuda);
      case TensorRtException refused when first == null ->
          new InferenceException(
              isOutOfMemory(refused) ? StatusCode.UNAVAILABLE : StatusCode.INTERNAL,
              "model '%s': %s".formatted(model, text(refused)),
              refused);
      case CudaException _ when first != null -> lost(first);
      case TensorRtException _ when first != null -> lost(first);
      default -> failure;
    };
  }

  /** TensorRT's text, and why its request for memory was not met. */
  private static String text(TensorRtException refused) {
    return refused.getCause() == null
        ? refused.getMessage()
        : "%s (%s)".formatted(refused.getMessage(), refused.getCause().getMessage());
  }

  private static boolean isOutOfMemory(TensorRtException refused) {
    return refused.getCause() instanceof CudaException cuda && cuda.isOutOfMemory();
  }

  private InferenceException lost(CudaException first) {
    return new InferenceException(
        StatusCode.UNAVAILABLE,
        "model '%s': GPU %d has failed and can only be used again by a new process: %s"
            .formatted(model, device.id(), first.getMessage()),
        first);
  }
}
