package io.nereid.tensorrt.build;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.TypedOptions;
import io.nereid.spi.UserCache;
import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.build.profile.Profile;
import io.nereid.tensorrt.build.profile.ProfileResolver;
import io.nereid.tensorrt.builder.OnnxParser;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.library.GpuSupport;
import io.nereid.tensorrt.library.Lack;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The plans that are built from ONNX files, and kept in a cache. Thread-safe. */
final class OnnxPlans {
  private static final System.Logger LOG = System.getLogger(OnnxPlans.class.getName());
  private static final int DEFAULT_MAX_BATCH_SIZE = 4;

  /** Enough for a server that opens one plan of a cache before it builds the next one. */
  private static final int KEEP_BUILDER_SECONDS = 10;

  private final TensorRt tensorRt;
  private final Optional<Lack> missingParser;
  private final String cudaVersion;
  private final PlanCache cache;
  private final int defaultMaxBatchSize;
  private final LongSupplier nanoTime;
  private final BuildQueue queue = new BuildQueue();
  private final SharedBuilders builders;

  /**
   * @param missingParser why there is no ONNX parser; empty if there is one
   * @param defaultMaxBatchSize of a model whose configuration is still to be completed
   * @param later runs what closes a builder after its last build
   */
  OnnxPlans(
      TensorRt tensorRt,
      Optional<Lack> missingParser,
      String cudaVersion,
      PlanCache cache,
      int defaultMaxBatchSize,
      LongSupplier nanoTime,
      Executor later) {
    this.tensorRt = tensorRt;
    this.missingParser = missingParser;
    this.cudaVersion = cudaVersion;
    this.cache = cache;
    this.defaultMaxBatchSize = defaultMaxBatchSize;
    this.nanoTime = nanoTime;
    this.builders = new SharedBuilders(tensorRt, later);
  }

  static OnnxPlans of(TypedOptions options, TensorRt tensorRt, GpuSupport.Available support) {
    return new OnnxPlans(
        tensorRt,
        support.onnxParser().lack(),
        support.runtimeText(),
        cache(options),
        Math.max(0, options.integer("default-max-batch-size", DEFAULT_MAX_BATCH_SIZE)),
        System::nanoTime,
        CompletableFuture.delayedExecutor(KEEP_BUILDER_SECONDS, TimeUnit.SECONDS));
  }

  private static PlanCache cache(TypedOptions options) {
    Optional<Path> directory = options.path("plan-cache-directory");
    long maxBytes = options.byteSize("plan-cache-size", 0);
    try {
      return new PlanCache(
          directory.isPresent()
              ? directory.get()
              : UserCache.directory(System.getenv()).resolve("tensorrt"),
          maxBytes,
          InstantSource.system());
    } catch (IOException unusable) {
      LOG.log(
          Level.WARNING,
          "plans are not kept: {0}; backend option ''plan-cache-directory'' names a directory",
          unusable.getMessage());
      return PlanCache.none();
    }
  }

  /**
   * Opens the plan of an ONNX file: from the cache, or by building it.
   *
   * @param gpu the device that is current on this thread
   */
  Plan open(ModelFile file, ModelConfig config, BuildSettings settings, Gpu gpu) {
    missingParser.ifPresent(lack -> {
      throw InferenceException.unavailable(
          "model '%s': no plan can be built from '%s': %s"
              .formatted(config.name(), file.path(), lack));
    });
    ModelContent content = file.readContent();
    List<Profile> profiles =
        new ProfileResolver(
                content.graph(), config, file.path().getFileName().toString(), defaultMaxBatchSize)
            .resolve(settings.profiles());
    PlanKey.Toolchain toolchain = toolchain();
    PlanKey key = PlanKey.of(content, profiles, settings, gpu, toolchain);
    var builder = new PlanBuilder(tensorRt, config.name(), file.path(), profiles, settings);
    builder.requireSupported();
    var build =
        new Build(builder, file, content, key, gpu, TimingCacheFile.of(cache, gpu, toolchain));
    Arena arena = Arena.ofConfined();
    try {
      return new Plan(
          arena, cached(key, arena).orElseGet(() -> buildOnce(build, arena)), file.path());
    } catch (RuntimeException | Error failure) {
      arena.close();
      throw failure;
    }
  }

  /** A plan that may have to be built. */
  private record Build(
      PlanBuilder builder,
      ModelFile file,
      ModelContent content,
      PlanKey key,
      Gpu gpu,
      TimingCacheFile timings) {}

  private PlanKey.Toolchain toolchain() {
    return new PlanKey.Toolchain(
        tensorRt.version().toString(),
        Nvinfer.getInferLibBuildVersion(),
        OnnxParser.version(),
        cudaVersion);
  }

  private Optional<MemorySegment> cached(PlanKey key, Arena arena) {
    return cache.read(key.fileName(), key.hash(), arena);
  }

  private MemorySegment buildOnce(Build build, Arena arena) {
    try (var use = builders.join(build.gpu().id(), build.timings());
        var _ = queue.acquire(build.key().fileName(), build.gpu().id())) {
      return cached(build.key(), arena) // by another thread, while this one waited
          .orElseGet(() -> build(build, use, arena));
    }
  }

  private MemorySegment build(Build build, SharedBuilders.Use use, Arena arena) {
    String model = build.file().model();
    Path path = build.file().path();
    LOG.log(
        Level.INFO,
        "building the plan of model ''{0}'' from ''{1}'' on GPU {2}; this may take minutes",
        model,
        path,
        build.gpu().id());
    LOG.log(Level.DEBUG, "the plan of model ''{0}'' is made from:\n{1}", model, build.key().text());
    Thread thread = Thread.currentThread();
    BooleanSupplier cancelled = () -> queue.isCancelled() || thread.isInterrupted();
    var progress = new BuildProgress(model, cancelled, nanoTime);
    MemorySegment plan;
    try {
      plan = build.builder().build(use, progress, arena);
    } catch (InferenceException failure) {
      if (!cancelled.getAsBoolean()) {
        throw failure;
      }
      LOG.log(
          Level.INFO,
          "the build of the plan of model ''{0}'' is cancelled ({1})",
          model,
          progress.seconds());
      throw InferenceException.unavailable("Server exiting");
    }
    if (!build.file().readContent().hashes().equals(build.content().hashes())) {
      throw InferenceException.unavailable(
          "model '%s': '%s' or its weights were changed while its plan was built"
              .formatted(model, path));
    }
    LOG.log(
        Level.INFO,
        "built the plan of model ''{0}'' in {1}: {2} bytes",
        model,
        progress.seconds(),
        Long.toString(plan.byteSize()));
    cache.write(build.key().fileName(), build.key().hash(), plan);
    return plan;
  }

  /** Ends the builds that run or wait, rejects later ones, and closes what builds have kept. */
  void cancel() {
    queue.cancel();
    builders.close();
  }
}
