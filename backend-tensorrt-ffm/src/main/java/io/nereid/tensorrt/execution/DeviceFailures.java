package io.nereid.tensorrt.execution;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.engine.TensorRtException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What failures of CUDA and TensorRT mean for the requests of an instance.
 *
 * <p>After a <em>sticky</em> error of CUDA no call for the device succeeds any more in this
 * process. Batches then fail as UNAVAILABLE with the text of that error, and instances are not
 * healthy. The same holds for an instance whose streams cannot be waited for, since its memory may
 * be in use.
 */
final class DeviceFailures {
  private final String model;
  private final CudaDevice device;

  /** Why the streams of this instance cannot be used; null if they can. */
  private volatile @Nullable CudaException streamFailure;

  /**
   * @param model its name, for messages
   */
  DeviceFailures(String model, CudaDevice device) {
    this.model = model;
    this.device = device;
  }

  /** Whether the device works; any thread may ask. */
  boolean isHealthy() {
    return first() == null;
  }

  /** What batches fail with once the device has failed. Any thread may ask. */
  Optional<InferenceException> failure() {
    return Optional.ofNullable(first()).map(this::lost);
  }

  /**
   * @throws InferenceException UNAVAILABLE if the device has failed
   */
  void requireHealthy() {
    failure()
        .ifPresent(lost -> {
          throw lost;
        });
  }

  private @Nullable CudaException first() {
    CudaException sticky = device.failure();
    return sticky == null ? streamFailure : sticky;
  }

  /** Called when the streams of the instance cannot be waited for. */
  void streamsFailed(CudaException failure) {
    if (streamFailure == null) {
      streamFailure = failure;
    }
  }

  /** The failure as requests see it. What is neither of CUDA nor of TensorRT stays as it is. */
  RuntimeException of(RuntimeException failure) {
    CudaException first = first();
    return switch (failure) {
      case InferenceException known
          when first == null && known.getCause() instanceof CudaException cuda ->
          new InferenceException( // of page-locked memory, which knows no model
              known.code(), "model '%s': %s".formatted(model, known.getMessage()), cuda);
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
        "model '%s': GPU %d has failed and this process cannot use it again: %s"
            .formatted(model, device.id(), first.getMessage()),
        first);
  }
}
