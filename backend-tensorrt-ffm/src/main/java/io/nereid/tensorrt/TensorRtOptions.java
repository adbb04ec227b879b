package io.nereid.tensorrt;

import io.nereid.error.InferenceException;
import io.nereid.spi.TypedOptions;
import java.util.List;
import java.util.OptionalInt;

/**
 * The options of the backend ({@code --backend-config=tensorrt,<key>=<value>}), as Triton's backend
 * defines them, except for those that name libraries ({@link
 * io.nereid.tensorrt.library.NativeLibraries}):
 *
 * <ul>
 *   <li>{@code execution-policy}: with {@code DEVICE_BLOCKING}, the instances on a device enqueue
 *       batches one at a time; with {@code BLOCKING}, the default, at the same time. In Triton it
 *       says which threads run instances, and {@code DEVICE_BLOCKING} is the default;
 *   <li>{@code coalesce-request-input}: whether inputs that lie one behind the other in page-locked
 *       memory are copied as one; off by default;
 *   <li>{@code plugins}: files of plugin libraries, separated by {@code ;};
 *   <li>{@code version-compatible}: whether plans may contain code for the host, as those do that
 *       were built to be compatible with other versions of TensorRT. Such a plan can do whatever
 *       the process can, so those that a load request brings never may. Off by default;
 *   <li>{@code default-max-batch-size}: the largest batch of models whose configuration states
 *       none, if the engine admits it; without the option it is that of the engine. Triton's
 *       backend ignores this option;
 *   <li>{@code plan-cache-directory}, {@code plan-cache-size}: see {@link
 *       io.nereid.tensorrt.build.PlanSource#of};
 *   <li>{@code pinned-memory-pool-byte-size}: the page-locked memory for outputs, 256 MiB by
 *       default. Triton has this as an option of the server.
 * </ul>
 *
 * @param defaultMaxBatchSize 0 for no batching
 */
record TensorRtOptions(
    boolean deviceBlocking,
    boolean coalesceRequestInput,
    List<String> plugins,
    boolean versionCompatible,
    OptionalInt defaultMaxBatchSize,
    long pinnedPoolBytes) {
  private static final long DEFAULT_POOL_BYTES = 256L << 20;

  /**
   * @throws InferenceException INVALID_ARGUMENT; the message names the option and its value
   */
  static TensorRtOptions of(TypedOptions options) {
    String batch = "default-max-batch-size";
    return new TensorRtOptions(
        options.choice("execution-policy", ExecutionPolicy.BLOCKING)
            == ExecutionPolicy.DEVICE_BLOCKING,
        options.flag("coalesce-request-input", false),
        options.list("plugins"),
        options.flag("version-compatible", false),
        options.text(batch).isPresent()
            ? OptionalInt.of(Math.max(0, options.integer(batch, 0)))
            : OptionalInt.empty(),
        options.byteSize("pinned-memory-pool-byte-size", DEFAULT_POOL_BYTES));
  }

  private enum ExecutionPolicy {
    BLOCKING,
    DEVICE_BLOCKING
  }
}
