package io.nereid.tck;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigParser;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.ModelFiles;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * A backend and one of its models.
 *
 * @param context what the backend is opened with
 * @param config as {@code config.pbtxt} would state it; the backend may complete it
 * @param device the kind of device that its instances are opened for
 */
public record BackendUnderTest(
    BackendProvider provider,
    TestContext context,
    ModelFiles files,
    ModelConfig config,
    InstanceSettings.Kind device) {
  /**
   * A backend without options whose model runs on the CPU. Its context has the name that the
   * configuration has: the provider is asked for its own by a rule, since it may not answer.
   */
  public static BackendUnderTest of(
      BackendProvider provider, ModelFiles files, ModelConfig config) {
    String name = config.backend().isEmpty() ? provider.name() : config.backend();
    return new BackendUnderTest(
        provider, TestContext.of(name), files, config, InstanceSettings.Kind.KIND_CPU);
  }

  /**
   * As above, for the model whose {@code config.pbtxt} lies in the model's directory. It is read as
   * the server reads it, by the engine, which must be on the class path.
   *
   * @throws IllegalStateException without the engine
   */
  public static BackendUnderTest of(BackendProvider provider, ModelFiles files) {
    ModelConfigParser parser =
        ServiceLoader.load(ModelConfigParser.class)
            .findFirst()
            .orElseThrow(() ->
                new IllegalStateException(
                    "config.pbtxt is read by io.nereid:nereid-engine: add it in test scope"));
    return of(provider, files, parser.parse(files.modelDirectory()));
  }

  /** The same with these options of the backend. */
  public BackendUnderTest withOptions(Map<String, String> options) {
    return new BackendUnderTest(provider, context.withOptions(options), files, config, device);
  }

  /** What the server says of the instance with that number. */
  public InstanceSettings instance(int number) {
    return new InstanceSettings(config.name() + "_0_" + number, device, 0, List.of(), false);
  }
}
