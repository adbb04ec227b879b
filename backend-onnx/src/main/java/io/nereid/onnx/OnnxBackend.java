package io.nereid.onnx;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.onnx.ort.OrtSession;
import io.nereid.onnx.ort.OrtSessionOptions;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.TypedOptions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The backend {@code onnxruntime}. Its options:
 *
 * <ul>
 *   <li>{@code library}: the file of the native library;
 *   <li>{@code cache-directory}: the directory for a copy of the library that is inside a jar;
 *   <li>{@code enable-global-threadpool}: whether all models share the threads that {@code
 *       intra_op_thread_count} and {@code inter_op_thread_count} set, and ignore counts of their
 *       own;
 *   <li>{@code allowed-parameters}, {@code custom-operators}: see {@link Permissions};
 *   <li>{@code telemetry}: whether ONNX Runtime may record its use in files of the user's cache and
 *       report it to its vendor; off by default.
 * </ul>
 */
final class OnnxBackend implements Backend {
  private static final System.Logger LOG = System.getLogger(OnnxBackend.class.getName());

  private final OrtEnvironment environment;
  private final int defaultMaxBatchSize;
  private final Permissions permissions;

  private OnnxBackend(
      OrtEnvironment environment, int defaultMaxBatchSize, Permissions permissions) {
    this.environment = environment;
    this.defaultMaxBatchSize = defaultMaxBatchSize;
    this.permissions = permissions;
  }

  static OnnxBackend open(BackendContext context) {
    TypedOptions options = context.options();
    Optional<Path> library = options.path("library");
    Optional<Path> cache = options.path("cache-directory");
    int defaultMaxBatchSize = Math.max(0, options.integer("default-max-batch-size", 4));
    Permissions permissions = Permissions.of(options);
    try {
      var environment =
          OrtEnvironment.open(library, cache, threads(options), options.flag("telemetry", false));
      context.logger().log(Level.INFO, "ONNX Runtime {0}", environment.libraryVersion());
      var backend = new OnnxBackend(environment, defaultMaxBatchSize, permissions);
      backend.weakness().ifPresent(text -> context.logger().log(Level.WARNING, "{0}", text));
      return backend;
    } catch (IOException unusable) {
      throw InferenceException.unavailable(
          "backend 'onnxruntime' cannot be opened: " + unusable.getMessage());
    }
  }

  private static Optional<OrtEnvironment.SharedThreads> threads(TypedOptions options) {
    if (!options.flag("enable-global-threadpool", false)) {
      return Optional.empty();
    }
    return Optional.of(
        new OrtEnvironment.SharedThreads(
            options.integer("intra_op_thread_count", 0),
            options.integer("inter_op_thread_count", 0)));
  }

  /** Such as {@code 1.29.0}. */
  String libraryVersion() {
    return environment.libraryVersion();
  }

  /** The file of the native library. */
  Path library() {
    return environment.library();
  }

  /** What models can do with an old library. */
  Optional<String> weakness() {
    return environment.readsAddresses()
        ? Optional.of(
            ("ONNX Runtime %s of '%s' lets a model's file read the memory of the process, or crash"
                    + " it; versions from 1.28 on do not")
                .formatted(libraryVersion(), library()))
        : Optional.empty();
  }

  /** The execution providers that the library was built with. */
  List<String> executionProviders() {
    return environment.availableProviders();
  }

  @Override
  public ModelConfig complete(ModelFiles files, ModelConfig config) {
    permissions.check(files, config);
    ExecutionProviders.check(config);
    var _ = OnnxParameters.of(config); // whose failure is not to come as late as the load
    boolean opensLibraries = !config.operationLibraries().isEmpty();
    if ((!config.inputs().isEmpty() && !config.outputs().isEmpty())
        || (opensLibraries && files.trust() == ModelFiles.Trust.CHECK)) {
      return config;
    }
    try (OrtSessionOptions options = environment.options()) {
      OnnxFile file = OnnxFile.of(files, config);
      // As the sessions that serve, since optimisations may fold a symbolic dimension of an output
      // into a constant; but nothing is run, so weights need no second layout.
      options.optimization(OnnxParameters.optimization(config));
      options.entry("session.disable_prepacking", "1");
      options.threads(1, 1);
      options.silent(); // a session that serves says the same
      file.addCustomOperators(options);
      try (OrtSession session = file.open(environment, options)) {
        OnnxSignature signature = OnnxSignature.of(session);
        ModelConfig completed = signature.complete(config, defaultMaxBatchSize);
        signature.check(completed);
        return completed;
      }
    }
  }

  @Override
  public List<String> warnings(ModelConfig config) {
    return new ExecutionProviders(config.name(), executionProviders()).leftOut(config);
  }

  @Override
  public boolean runsCodeOf(ModelConfig config) {
    return !config.operationLibraries().isEmpty();
  }

  @Override
  public int defaultInstanceCount(InstanceSettings.Kind kind) {
    return kind == InstanceSettings.Kind.KIND_CPU ? 2 : 1;
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    permissions.check(files, config);
    OnnxFile file = OnnxFile.of(files, config);
    return new OnnxModel(environment, file, config, OnnxParameters.of(config));
  }

  @Override
  public void cancelLoads() {
    environment.cancelLoads();
  }

  @Override
  public void close() {
    try {
      environment.close();
    } catch (IllegalStateException inUse) {
      LOG.log(Level.ERROR, "ONNX Runtime is not closed: a model is still open", inUse);
    }
  }
}
