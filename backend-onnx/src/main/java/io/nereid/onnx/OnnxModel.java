package io.nereid.onnx;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.onnx.ort.OrtException;
import io.nereid.onnx.ort.OrtSession;
import io.nereid.onnx.ort.OrtSessionOptions;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import java.util.List;

/** A model whose file exists; each instance has a session, and so the weights, of its own. */
final class OnnxModel implements Model {
  private final OrtEnvironment environment;
  private final OnnxFile file;
  private final ModelConfig config;
  private final OnnxParameters parameters;

  /** The outputs whose declared shapes are those of the file; known once an instance is open. */
  private volatile List<String> shapeHints = List.of();

  OnnxModel(
      OrtEnvironment environment, OnnxFile file, ModelConfig config, OnnxParameters parameters) {
    this.environment = environment;
    this.file = file;
    this.config = config;
    this.parameters = parameters;
  }

  @Override
  public ModelInstance open(InstanceSettings settings) {
    OrtSession session = openSession(settings);
    try {
      OnnxSignature signature = OnnxSignature.of(session);
      signature.check(config);
      shapeHints =
          config.outputs().stream()
              .filter(output -> signature.isFromFile(config, output))
              .map(TensorConfig::name)
              .toList();
      boolean bounded = OnnxOperators.areBounded(file.path());
      return new OnnxInstance(config, settings, parameters, signature, session, bounded);
    } catch (RuntimeException failure) {
      session.close();
      throw failure;
    }
  }

  private OrtSession openSession(InstanceSettings settings) {
    try (OrtSessionOptions options = environment.options()) {
      options.log(config.name());
      parameters.applyTo(options);
      file.addCustomOperators(options);
      new ExecutionProviders(config.name(), environment.availableProviders())
          .applyTo(options, config, settings);
      return file.open(environment, options);
    } catch (OrtException failure) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "failed to load model '%s': %s".formatted(config.name(), failure.getMessage()),
          failure);
    }
  }

  /** ONNX Runtime writes all of the outputs that are bound to memory, or fails the run. */
  @Override
  public boolean fillsOutputs() {
    return true;
  }

  @Override
  public boolean isShapeHint(String output) {
    return shapeHints.contains(output);
  }

  @Override
  public void close() {
    // Instances share only the backend's environment.
  }
}
