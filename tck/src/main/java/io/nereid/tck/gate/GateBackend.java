package io.nereid.tck.gate;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;

/**
 * Returns each request's own inputs, {@code IN0} as {@code OUT0}, once the model's {@link Gate} is
 * open for the batch. {@link GateSettings} are the options of a model.
 */
public final class GateBackend implements BackendProvider {
  /** The value of {@code backend} in a {@code config.pbtxt}. */
  public static final String NAME = "gate";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Backend open(BackendSettings settings) {
    return new Opened();
  }

  /** The name of the input that an output shows. */
  static String inputOf(TensorConfig output) {
    return output.name().replace("OUT", "IN");
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      for (TensorConfig output : config.outputs()) {
        if (config.input(inputOf(output)).isEmpty()) {
          throw InferenceException.invalid(
              "model '%s': output '%s' has no input to show"
                  .formatted(config.name(), output.name()));
        }
      }
      return new Loaded(config, GateSettings.read(config), new GateFiles(files.modelDirectory()));
    }

    @Override
    public void close() {}
  }

  private record Loaded(ModelConfig config, GateSettings settings, GateFiles files)
      implements Model {
    @Override
    public ModelInstance open(InstanceSettings instance) {
      var work = new GateWork(config, settings);
      if (settings.files()) {
        return new OpenInstance(work, () -> files.pass(instance.name()));
      }
      if (settings.open()) {
        return new OpenInstance(work, () -> {});
      }
      var gate = Gate.of(config.name());
      gate.opened(instance);
      return new GatedInstance(instance.name(), config, gate, work);
    }

    @Override
    public void close() {}
  }
}
