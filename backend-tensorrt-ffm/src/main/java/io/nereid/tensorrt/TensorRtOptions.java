package io.nereid.tensorrt;

import io.nereid.error.InferenceException;
import io.nereid.spi.BackendSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
  static TensorRtOptions of(BackendSettings settings) {
    Map<String, String> options = settings.options();
    return new TensorRtOptions(
        isDeviceBlocking(options.getOrDefault("execution-policy", "BLOCKING")),
        isOn("coalesce-request-input", options),
        Arrays.stream(options.getOrDefault("plugins", "").split(";"))
            .filter(file -> !file.isBlank())
            .toList(),
        isOn("version-compatible", options),
        options.containsKey("default-max-batch-size")
            ? OptionalInt.of(Math.max(0, settings.integer("default-max-batch-size", 0)))
            : OptionalInt.empty(),
        poolBytes(options));
  }

  private static boolean isDeviceBlocking(String policy) {
    return switch (policy) {
      case "DEVICE_BLOCKING" -> true;
      case "BLOCKING" -> false;
      default ->
          throw InferenceException.invalid(
              "backend option 'execution-policy' must be DEVICE_BLOCKING or BLOCKING, got '%s'"
                  .formatted(policy));
    };
  }

  private static boolean isOn(String key, Map<String, String> options) {
    String value = options.getOrDefault(key, "false");
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "1", "on", "true" -> true;
      case "0", "off", "false" -> false;
      default ->
          throw InferenceException.invalid(
              "backend option '%s' must be true or false, got '%s'".formatted(key, value));
    };
  }

  private static long poolBytes(Map<String, String> options) {
    String key = "pinned-memory-pool-byte-size";
    String value = options.get(key);
    try {
      return value == null ? DEFAULT_POOL_BYTES : Math.max(0, Long.parseLong(value));
    } catch (NumberFormatException notANumber) {
      throw InferenceException.invalid(
          "backend option '%s' must be an integer, got '%s'".formatted(key, value));
    }
  }
}
