package @package@;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.tensor.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A loaded version of a model: the number by which it multiplies, read from {@code factor.txt} in
 * the version's directory.
 */
record @Class@Model(String input, String output, float factor) implements Model {
  /**
   * Loads a version.
   *
   * @throws InferenceException if configuration or file are not what this backend needs
   */
  static @Class@Model load(ModelFiles files, ModelConfig config) {
    if (config.inputs().size() != 1 || config.outputs().size() != 1) {
      throw InferenceException.invalid(
          "model '%s': expected one input and one output, the configuration has %d and %d"
              .formatted(config.name(), config.inputs().size(), config.outputs().size()));
    }
    TensorConfig input = config.inputs().getFirst();
    TensorConfig output = config.outputs().getFirst();
    for (TensorConfig tensor : new TensorConfig[] {input, output}) {
      if (tensor.dataType() != DataType.FP32) {
        throw InferenceException.invalid(
            "model '%s': '%s' must be TYPE_FP32, the configuration says %s"
                .formatted(config.name(), tensor.name(), tensor.dataType()));
      }
    }
    return new @Class@Model(input.name(), output.name(), factor(files, config.name()));
  }

  private static float factor(ModelFiles files, String model) {
    Path file = files.file("factor.txt");
    try {
      return Float.parseFloat(Files.readString(file).strip());
    } catch (IOException | NumberFormatException bad) {
      throw InferenceException.invalid(
          "model '%s': no number can be read from %s: %s".formatted(model, file, bad));
    }
  }

  @Override
  public ModelInstance open(InstanceSettings settings) {
    return new @Class@Instance(this);
  }

  /** Every byte of an output is written, so the server need not clear it before. */
  @Override
  public boolean fillsOutputs() {
    return true;
  }

  @Override
  public void close() {}
}
