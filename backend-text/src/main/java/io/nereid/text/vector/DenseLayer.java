package io.nereid.text.vector;

import io.nereid.error.InferenceException;
import io.nereid.text.folder.JsonFile;
import java.nio.file.Path;

/**
 * A layer behind the pooling: {@code activation(weight x vector + bias)}.
 *
 * @param weight {@code [outputs, inputs]}
 */
@SuppressWarnings("ArrayRecordComponent")
public record DenseLayer(int inputs, int outputs, float[] weight, float[] bias, boolean isTanh) {
  /** Weights are read in one piece. */
  private static final int MAX_FEATURES = 1 << 14;

  /**
   * Reads the folder of a Dense module of sentence-transformers.
   *
   * @throws InferenceException if a file cannot be read, or says what is not served
   */
  public static DenseLayer read(Path folder) {
    JsonFile config =
        JsonFile.read(folder.resolve("config.json"))
            .orElseThrow(() ->
                InferenceException.unavailable(
                    "unable to find '%s/config.json'".formatted(folder)));
    int inputs = features(config, "in_features");
    int outputs = features(config, "out_features");
    boolean hasBias = config.flag("bias").orElse(true);
    String function = config.text("activation_function").orElse("torch.nn.modules.activation.Tanh");
    String name = function.substring(function.lastIndexOf('.') + 1);
    if (!name.equals("Tanh") && !name.equals("Identity")) {
      throw config.invalid("activation_function", "Tanh or Identity", function);
    }
    Path file = folder.resolve("model.safetensors");
    Safetensors weights = Safetensors.read(file);
    return new DenseLayer(
        inputs,
        outputs,
        weights.floats("linear.weight", outputs, inputs),
        hasBias ? weights.floats("linear.bias", outputs) : new float[outputs],
        name.equals("Tanh"));
  }

  private static int features(JsonFile config, String key) {
    int count =
        config
            .count(key)
            .orElseThrow(() -> config.invalid(key, "a whole number from 1 on", "none"));
    if (count > MAX_FEATURES) {
      throw config.invalid(key, "at most " + MAX_FEATURES, count);
    }
    return count;
  }

  /** The layer's output for a vector of {@link #inputs}. */
  public float[] apply(float[] vector) {
    float[] result = new float[outputs];
    for (int row = 0; row < outputs; row++) {
      float sum = bias[row];
      int at = row * inputs;
      for (int i = 0; i < inputs; i++) {
        sum += weight[at + i] * vector[i];
      }
      result[row] = isTanh ? (float) Math.tanh(sum) : sum;
    }
    return result;
  }
}
