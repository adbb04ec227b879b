package io.nereid.tck;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.ModelFiles;
import java.util.List;
import java.util.Map;

/**
 * A backend and one of its models.
 *
 * @param config as {@code config.pbtxt} would state it; the backend may complete it. A dimension of
 *     -1 is filled with a small size, so the model must accept any
 * @param device the kind of device that its instances are opened for
 */
public record BackendUnderTest(
    BackendProvider provider,
    BackendSettings settings,
    ModelFiles files,
    ModelConfig config,
    InstanceSettings.Kind device) {
  /** A backend without options whose model runs on the CPU. */
  public static BackendUnderTest of(
      BackendProvider provider, ModelFiles files, ModelConfig config) {
    return new BackendUnderTest(
        provider, new BackendSettings(Map.of()), files, config, InstanceSettings.Kind.KIND_CPU);
  }

  /** What the server says of the instance with that number. */
  public InstanceSettings instance(int number) {
    return new InstanceSettings(config.name() + "_0_" + number, device, 0, List.of(), false);
  }
}
