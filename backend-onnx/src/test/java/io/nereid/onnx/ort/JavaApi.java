package io.nereid.onnx.ort;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import java.nio.file.Path;
import java.util.Map;

/** ONNX Runtime's own Java API, with threads that its sessions share. */
final class JavaApi implements AutoCloseable {
  private final OrtEnvironment environment;
  private final OrtSession session;

  /** Opens the model {@code simple}. */
  JavaApi(Path model) throws OrtException {
    try (var threads = new OrtEnvironment.ThreadingOptions();
        var options = new OrtSession.SessionOptions()) {
      environment =
          OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, "api", threads);
      options.disablePerSessionThreads();
      session = environment.createSession(model.toString(), options);
    }
  }

  String version() {
    return environment.getVersion();
  }

  /** The last element of the sum of {@code numbers} and itself. */
  int sum(int[] numbers) throws OrtException {
    try (var input = OnnxTensor.createTensor(environment, new int[][] {numbers});
        var outputs = session.run(Map.of("INPUT0", input, "INPUT1", input))) {
      return ((int[][]) outputs.get(0).getValue())[0][15];
    }
  }

  @Override
  public void close() throws OrtException {
    session.close();
  }
}
