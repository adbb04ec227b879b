package io.nereid.onnx;

import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.SystemLocale;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Check;
import java.util.List;

/** The provider of the backend {@code onnxruntime}. */
public final class OnnxBackendProvider implements BackendProvider {
  private static final String SUBJECT = "ONNX Runtime";
  private static final String OTHER_LIBRARY = "--backend-config=onnxruntime,library=<file>";

  @Override
  public String name() {
    return "onnxruntime";
  }

  @Override
  public Backend open(BackendContext context) {
    return OnnxBackend.open(context);
  }

  @Override
  public List<Check> check(BackendContext context) {
    try (OnnxBackend backend = OnnxBackend.open(context)) {
      String finding =
          "version %s, execution providers %s, library %s"
                  .formatted(
                      backend.libraryVersion(),
                      String.join(", ", backend.executionProviders()),
                      backend.library())
              + (SystemLocale.isMissing()
                  ? ("; the system has no locale %s, which models with the operator StringNormalizer"
                          + " need: %s")
                      .formatted(SystemLocale.NAME, SystemLocale.CURE)
                  : "");
      return List.of(
          backend
              .weakness()
              .map(weakness ->
                  Check.warning(SUBJECT, weakness, "name a later one: " + OTHER_LIBRARY))
              .orElseGet(() -> Check.ok(SUBJECT, finding)));
    } catch (InferenceException failure) {
      return List.of(
          Check.problem(
              SUBJECT,
              failure.getMessage(),
              failure.getMessage().contains("'cache-directory'")
                  ? "name a folder that can be written, and have libraries that are loaded:"
                      + " --backend-config=onnxruntime,cache-directory=<directory>"
                  : "name a library that works on this machine: " + OTHER_LIBRARY));
    }
  }
}
