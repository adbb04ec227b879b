package io.nereid.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a transport that asks for anything but inferences. Answers are trees as JSON has
 * them: a {@link Map}, a {@link List}, a {@code String}, {@code Long}, {@code Double}, {@code
 * Boolean} or null, with the names of the protocol. A version that is empty leaves the choice to
 * the server.
 */
public interface Management {
  Call<Boolean> isLive(CallContext context);

  Call<Boolean> isReady(CallContext context);

  Call<Boolean> isModelReady(String model, String version, CallContext context);

  /** An object. */
  Call<@Nullable Object> serverMetadata(CallContext context);

  /** An object. */
  Call<@Nullable Object> modelMetadata(String model, String version, CallContext context);

  /** An object. */
  Call<@Nullable Object> modelConfig(String model, String version, CallContext context);

  /** An object with {@code model_stats}, an array. {@code model}: empty for all. */
  Call<@Nullable Object> statistics(String model, String version, CallContext context);

  /** An array. */
  Call<@Nullable Object> index(boolean readyOnly, CallContext context);

  /**
   * Loads a model.
   *
   * @param config the configuration in JSON instead of the repository's; empty for that
   * @param files by {@code <version>/<name>}, instead of the repository's
   */
  Call<@Nullable Object> load(
      String model, String config, Map<String, byte[]> files, CallContext context);

  Call<@Nullable Object> unload(String model, boolean dependents, CallContext context);

  /**
   * Changes settings, and asks for all.
   *
   * @param model empty for those of the server
   * @param changes a setting with an empty list goes back to its fallback; empty to only ask
   * @return an object with arrays of strings
   */
  Call<@Nullable Object> traceSettings(
      String model, Map<String, List<String>> changes, CallContext context);

  /**
   * Changes settings, and asks for all.
   *
   * @param changes each a {@code Boolean}, {@code Long} or {@code String}; empty to only ask
   * @return an object
   */
  Call<@Nullable Object> logSettings(Map<String, Object> changes, CallContext context);

  /** An array. {@code name}: empty for all. */
  Call<@Nullable Object> regions(boolean cuda, String name, CallContext context);

  Call<@Nullable Object> registerSystemRegion(
      String name, String key, long offset, long byteSize, CallContext context);

  /** {@code handle}: a {@code cudaIpcMemHandle_t}. */
  Call<@Nullable Object> registerCudaRegion(
      String name, byte[] handle, long deviceId, long byteSize, CallContext context);

  /** {@code name}: empty for all. */
  Call<@Nullable Object> unregisterRegion(boolean cuda, String name, CallContext context);
}
