package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.OnnxParserDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.Engine;
import io.nereid.tensorrt.engine.InferenceRuntime;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.ProfileRange;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.library.Lack;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Builds of plans against the doubles of libnvinfer and libnvonnxparser. What only a GPU can show,
 * such as that a plan computes what its ONNX file does, is not shown here.
 */
@UsesDoubles
@Timeout(120)
class OnnxPlansDoubleTest {
  private static final String NETWORK = "input X FP32 [-1,4]\noutput Y FP32 [-1,4] identity X\n";
  private static final Gpu GPU = new Gpu(0, NvinferDouble.GPU, "9.0");

  @TempDir Path temporary;
  private final CudartDouble cuda = CudartDouble.get();
  private final NvinferDouble nvinfer = NvinferDouble.get();
  private final AtomicLong now = new AtomicLong();
  private LongSupplier nanoTime = now::get;
  private ModelFiles files;
  private Path cacheDirectory;

  @BeforeAll
  static void bindParser() {
    OnnxParserDouble.get();
  }

  @BeforeEach
  void writeModel() throws IOException {
    files = new ModelFiles(temporary.resolve("m"), 1);
    cacheDirectory = temporary.resolve("cache");
    Files.createDirectories(files.versionDirectory());
    write(new OnnxFileWriter().input("X", -1, 4), NETWORK);
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11, 10_00_00})
  void aPlanIsBuiltWithTheProfileOfTheConfigurationAndCanBeDeserialised(int version) {
    nvinfer.setVersion(version);
    TensorRt tensorRt = TensorRt.open(1);

    try (Plan plan = open(plans(), config(8, Map.of()));
        InferenceRuntime runtime = tensorRt.createRuntime(NvinferDouble.GPU);
        Engine engine = runtime.deserialize(plan.bytes())) {
      ProfileRange range = engine.range(0, 0);
      assertThat(range.min()).isEqualTo(Shape.of(1, 4));
      assertThat(range.opt()).isEqualTo(Shape.of(8, 4));
      assertThat(range.max()).isEqualTo(Shape.of(8, 4));
      assertThat(engine.profileCount()).isEqualTo(1);
      assertThat(plan.file()).isEqualTo(files.versionDirectory().resolve("model.onnx"));
    }
    assertCalls(
        Map.of(
            "createInferBuilder", 1,
            "IBuilder_createNetworkV2", 1,
            "IBuilder_createBuilderConfig", 1,
            "IParser_parseFromFile", 1,
            "IBuilder_createOptimizationProfile", 1,
            "IOptimizationProfile_setDimensions", 3,
            "IBuilderConfig_addOptimizationProfile", 1,
            "IBuilderConfig_setProgressMonitor", 1,
            "IBuilderConfig_setTimingCache", 1,
            "IBuilder_buildSerializedNetwork", 1));
    assertCalls(Map.of("IBuilderConfig_setBuilderOptimizationLevel", 0, "IParser_getNbErrors", 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void settingsReachTheBuilder(int version) {
    nvinfer.setVersion(version);

    String plan =
        built(
            config(
                8,
                Map.of(
                    "max_workspace_size_bytes", "1048576",
                    "trt_builder_optimization_level", "5",
                    "use_tf32", "0")));

    assertThat(plan.lines()).contains("# workspace 1048576", "# level 5", "# flags 0");
  }

  @Test
  void precisionsAreFlagsInTensorRt10() {
    assertThat(built(config(8, Map.of())).lines()).contains("# flags 64", "# network flags 0");
    assertThat(built(config(8, Map.of("precision_mode", "FP16,INT8"))).lines())
        .contains("# flags 67");
    assertThat(built(config(8, Map.of("precision_mode", "BF16"))).lines())
        .contains("# flags 131136");
    assertThat(built(config(8, Map.of("tensorrt_strongly_typed", "1"))).lines())
        .contains("# flags 64", "# network flags 2");
  }

  @Test
  void precisionsAreRefusedInTensorRt11BeforeAnythingIsBuilt() {
    nvinfer.setVersion(NvinferDouble.VERSION_11);

    assertRejected(
        config(8, Map.of("precision_mode", "FP16")),
        "model 'm': parameter 'precision_mode' cannot be FP16 with TensorRT 11.1.0, whose networks"
            + " are strongly typed; convert the ONNX file to that type instead");
    assertThat(built(config(8, Map.of("tensorrt_strongly_typed", "1"))).lines())
        .contains("# network flags 0");
  }

  @Test
  void precisionsAndStrongTypesExcludeEachOther() {
    assertRejected(
        config(8, Map.of("precision_mode", "FP16", "tensorrt_strongly_typed", "1")),
        "model 'm': parameter 'tensorrt_strongly_typed' keeps the types of the ONNX file, so"
            + " 'precision_mode' cannot be [FP16]");
  }

  @Test
  void severalProfilesAreAddedInOrder() {
    write(
        new OnnxFileWriter().input("X", -1, -1),
        "input X FP32 [-1,-1]\noutput Y FP32 [-1,-1] identity X\n");

    String plan =
        built(
            config(
                8,
                Map.of("tensorrt_profile_0", "X:*x2", "tensorrt_profile_1", "X:*x16/*x32/*x64")));

    assertThat(plan.lines())
        .contains("profiles 2", "range X 0 [1,2] [8,2] [8,2]", "range X 1 [1,16] [8,32] [8,64]");
  }

  @Test
  void aModelWithoutDynamicInputsHasNoProfile() {
    write(
        new OnnxFileWriter().input("X", 2, 4),
        "input X FP32 [2,4]\noutput Y FP32 [2,4] identity X\n");

    assertThat(built(config(0, Map.of()))).doesNotContain("range");
    assertCalls(Map.of("IBuilder_createOptimizationProfile", 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {10_11_00, NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void theValuesOfAShapeTensorHaveTheirRange(int version) {
    nvinfer.setVersion(version);
    writeShapeModel();

    String plan = built(config(0, Map.of("tensorrt_profile", "X:1x4,S:1x2/2x2/8x2")));

    assertThat(plan.lines())
        .contains("values S 0 [1,2] [2,2] [8,2]", "range X 0 [1,4] [1,4] [1,4]");
    assertCalls(Map.of("IOptimizationProfile_setShapeValuesV2", 3));
  }

  @Test
  void theValuesOfAShapeTensorNeedTensorRt1011() {
    nvinfer.setVersion(10_10_00);
    writeShapeModel();

    assertRejected(
        config(0, Map.of("tensorrt_profile", "X:1x4,S:1x2")),
        "model 'm': the range of shape tensor 'S' needs TensorRT 10.11 or later, found 10.10.0");
  }

  @Test
  void aShapeTensorWithoutARangeIsNamedWithTheParameterToAdd() {
    writeShapeModel();

    assertRejected(
        config(0, Map.of("tensorrt_profile_0", "X:1x4")),
        "model 'm': input 'S' [2] is a shape tensor, so its values need a range; state it in"
            + " config.pbtxt as parameters { key: \"tensorrt_profile_0\" value: { string_value:"
            + " \"S:<min>/<opt>/<max>\" } } with numbers separated by x for <min>, <opt> and <max>");
  }

  @Test
  void aRangeOfValuesForAnInputThatIsNoShapeTensorIsRefused() {
    write(new OnnxFileWriter().input("X", 2), "input X FP32 [2]\noutput Y FP32 [2] identity X\n");

    assertRejected(
        config(0, Map.of("tensorrt_profile", "X:1x4")),
        "model 'm': parameter 'tensorrt_profile' has a range for input 'X', which has fixed"
            + " dimensions [2] and is no shape tensor");
  }

  private void writeShapeModel() {
    write(
        new OnnxFileWriter().input("X", -1, 4).input("S", 2),
        "input X FP32 [-1,4]\ninput S INT64 [2] shape\noutput Y FP32 [-1,-1] reshape X S\n");
  }

  @Test
  void aMissingRangeIsReportedWithoutABuilder() {
    assertRejected(config(-1, Map.of()), "\"X:<min>x*/<opt>x*/<max>x*\"");
    assertCalls(Map.of("createInferBuilder", 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void everyErrorOfTheParserIsReported(int version) {
    nvinfer.setVersion(version);
    write(
        new OnnxFileWriter().input("X", -1, 4),
        NETWORK
            + "error 8 3 conv1 Conv no kernel for this\nerror 4 -1 - - a bad model\nerror 6 7 - - x\n");

    assertRejected(
        config(8, Map.of()),
        "cannot use '%s': node 3 'conv1' (Conv): no kernel for this (code 8); a bad model (code 4);"
                .formatted(files.versionDirectory().resolve("model.onnx"))
            + " node 7 '' (): x (code 6)");
  }

  @Test
  void aParserThatFailsWithoutAnErrorIsReportedWithTheLogLine() {
    write(new OnnxFileWriter().input("X", -1, 4), NETWORK + "crash\n");

    assertRejected(config(8, Map.of()), "ModelImporter: Error Code 3: out of luck");
  }

  @Test
  void externalWeightsAreFoundBesideTheModelAndArePartOfTheKey() throws IOException {
    Path weights = files.versionDirectory().resolve("w.bin");
    Files.writeString(weights, "weights");
    write(
        new OnnxFileWriter().input("X", -1, 4).externalInitializer("w", "w.bin"),
        NETWORK + "needs w.bin\n");
    OnnxPlans plans = plans();
    open(plans, config(8, Map.of())).close();

    Files.writeString(weights, "other");
    open(plans, config(8, Map.of())).close();

    assertCalls(Map.of("createInferBuilder", 2));
    Files.delete(weights);
    assertThatThrownBy(() -> open(plans, config(8, Map.of())))
        .hasMessageContaining("there is no file '%s' with its external weights", weights);
  }

  @ParameterizedTest
  @CsvSource({
    "createInferBuilder, TensorRT created no IBuilder",
    "IBuilder_createNetworkV2, TensorRT created no INetworkDefinition",
    "createNvOnnxParser, TensorRT created no IParser",
    "IParser_parseFromFile, cannot use",
    "IBuilder_createBuilderConfig, TensorRT created no IBuilderConfig",
    "INetworkDefinition_getInput, TensorRT returned no input 0",
    "ITensor_getName, TensorRT returned no name of input 0",
    "ITensor_getDimensions, TensorRT returned no dimensions of input 0",
    "IBuilder_createOptimizationProfile, TensorRT created no IOptimizationProfile",
    "IOptimizationProfile_setDimensions, input 'X' cannot have MIN",
    "IOptimizationProfile_isValid, refuses profile 0",
    "IBuilderConfig_addOptimizationProfile, TensorRT refuses a profile",
    "IBuilder_buildSerializedNetwork, TensorRT created no IHostMemory",
    "IHostMemory_data, TensorRT returned",
    "IHostMemory_size, TensorRT returned 0 bytes"
  })
  void aFailedCallFailsTheLoadAndLeavesNothing(String function, String message) throws IOException {
    for (int version : List.of(NvinferDouble.VERSION_10, NvinferDouble.VERSION_11)) {
      nvinfer.setVersion(version);
      long open = NativeObject.open();
      OnnxPlans plans = plans();
      cuda.failNext(function, 1);

      InferenceException failure =
          catchThrowableOfType(
              InferenceException.class, () -> open(plans, config(8, Map.of())).close());

      assertThat(failure).hasMessageContaining(message).hasMessageContaining("'m'");
      if (!function.equals("IOptimizationProfile_isValid")) {
        assertThat(failure).hasMessageContaining(function + ": Error Code 10");
      }
      assertThat(NativeObject.open()).isEqualTo(open);
      assertThat(cuda.live("IParser")).isZero();
      assertThat(Files.exists(cacheDirectory)).isFalse();
      open(plans, config(8, Map.of())).close();
      deleteCache();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "IBuilderConfig_createTimingCache",
        "IBuilderConfig_setTimingCache",
        "IBuilderConfig_getTimingCache",
        "ITimingCache_serialize"
      })
  void aBuildDoesWithoutATimingCacheThatFails(String function) {
    cuda.failNext(function, 1);

    assertThat(built(config(8, Map.of()))).contains("range X 0");
    assertThat(cacheDirectory).isDirectoryNotContaining("glob:**.timing");
  }

  @Test
  void timingsAreSharedByBuilds() throws IOException {
    built(config(8, Map.of()));
    built(config(16, Map.of()));

    assertThat(Files.readString(timingCache(), StandardCharsets.ISO_8859_1))
        .endsWith("nereid-timing-cache 2");
    assertCalls(Map.of("IBuilderConfig_createTimingCache", 2));
  }

  @Test
  void timingsThatTensorRtRefusesAreReplaced() throws IOException {
    built(config(8, Map.of()));
    cuda.failNext("IBuilderConfig_setTimingCache", 1);

    built(config(16, Map.of()));

    assertThat(Files.readString(timingCache(), StandardCharsets.ISO_8859_1))
        .endsWith("nereid-timing-cache 1");
    assertCalls(Map.of("IBuilderConfig_createTimingCache", 3));
  }

  @Test
  void timingsAreNotUsedIfTheModelSaysSo() {
    built(config(8, Map.of("trt_timing_cache_enable", "0")));

    assertCalls(Map.of("IBuilderConfig_createTimingCache", 0));
    assertThat(cacheDirectory).isDirectoryNotContaining("glob:**.timing");
  }

  private Path timingCache() throws IOException {
    try (var found = Files.newDirectoryStream(cacheDirectory, "*.timing")) {
      return found.iterator().next();
    }
  }

  @Test
  void aCachedPlanIsOpenedWithoutABuilder() {
    String first = built(config(8, Map.of()));

    String second = built(config(8, Map.of()));

    assertThat(second).isEqualTo(first);
    assertCalls(Map.of("createInferBuilder", 1));
  }

  @Test
  void whatIsBuiltFromOtherIngredientsIsBuiltAgain() throws IOException {
    built(config(8, Map.of()));
    built(config(4, Map.of()));
    built(config(8, Map.of("precision_mode", "FP16")));
    nvinfer.setVersion(10_15_02);
    built(config(8, Map.of()));
    write(new OnnxFileWriter().input("X", -1, 4).input("unused", 3), NETWORK);
    built(config(8, Map.of()));

    assertCalls(Map.of("createInferBuilder", 5));
  }

  @Test
  void aConfigurationToBeCompletedAndTheCompletedOneShareAPlan() {
    String before = built(config(0, Map.of()));
    ModelConfig completed =
        Configs.of(4, List.of(Configs.input("X", 4)), Map.of("tensorrt_build_from_onnx", "true"));

    assertThat(built(completed)).isEqualTo(before).contains("range X 0 [1,4] [4,4] [4,4]");
    assertCalls(Map.of("createInferBuilder", 1));
  }

  @Test
  void aTruncatedPlanIsBuiltAgainAndRepaired() throws IOException {
    String plan = built(config(8, Map.of()));
    Path cached = cachedPlan();
    byte[] whole = Files.readAllBytes(cached);
    Files.write(cached, Arrays.copyOf(whole, whole.length - 1));

    assertThat(built(config(8, Map.of()))).isEqualTo(plan);
    assertCalls(Map.of("createInferBuilder", 2));
    assertThat(Files.readAllBytes(cached)).isEqualTo(whole);
  }

  private Path cachedPlan() throws IOException {
    try (var found = Files.newDirectoryStream(cacheDirectory, "*.plan")) {
      return found.iterator().next();
    }
  }

  @Test
  void aFullDiskCostsTheCacheOnly() throws IOException {
    Configuration tiny = Configuration.unix().toBuilder().setBlockSize(64).setMaxSize(128).build();
    try (var disk = Jimfs.newFileSystem(tiny)) {
      var plans = plans(disk.getPath("/cache"));

      open(plans, config(8, Map.of())).close();
      open(plans, config(8, Map.of())).close();

      assertCalls(Map.of("IBuilder_buildSerializedNetwork", 2));
      try (var left = Files.list(disk.getPath("/cache"))) {
        assertThat(left).isEmpty();
      }
    }
  }

  @Test
  void twoLoadsOfAModelAtTheSameTimeBuildOnce() throws InterruptedException {
    var building = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    nanoTime =
        () -> {
          building.countDown();
          await(release);
          return now.get();
        };
    OnnxPlans plans = plans();
    CompletableFuture<String> first = startBuild(plans, GPU);
    building.await();
    var other = new CompletableFuture<String>();
    Thread second =
        Thread.ofPlatform().start(() -> complete(other, plans, new Gpu(1, GPU.name(), "9.0")));
    while (second.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }

    release.countDown();

    assertThat(other.join()).isEqualTo(first.join());
    assertCalls(Map.of("createInferBuilder", 1));
  }

  @Test
  void cancellingEndsABuildAtItsNextStepAndRejectsLaterOnes() {
    var cancel = new AtomicBoolean();
    var plans = new CompletableFuture<OnnxPlans>();
    nanoTime =
        () -> {
          if (cancel.get()) {
            plans.join().cancel();
          }
          return now.get();
        };
    plans.complete(plans());
    open(plans.join(), config(8, Map.of())).close();
    cancel.set(true);

    assertThatThrownBy(() -> open(plans.join(), config(16, Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessage("Server exiting");

    assertCalls(Map.of("IBuilder_buildSerializedNetwork", 2));
    assertThatThrownBy(() -> open(plans.join(), config(32, Map.of()))).hasMessage("Server exiting");
    assertCalls(Map.of("createInferBuilder", 2));
    open(plans.join(), config(8, Map.of())).close(); // from the cache
  }

  @Test
  void anInterruptEndsABuildAtItsNextStep() {
    Thread builder = Thread.currentThread();
    nanoTime =
        () -> {
          builder.interrupt();
          return now.get();
        };

    assertThatThrownBy(() -> open(plans(), config(8, Map.of()))).hasMessage("Server exiting");

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void anExceptionInAnUpcallEndsTheBuildAndIsItsCause() {
    var calls = new AtomicLong();
    nanoTime =
        () -> {
          if (calls.incrementAndGet() == 2) { // in the line on the first phase
            throw new IllegalStateException("broken clock");
          }
          return now.get();
        };

    assertThatThrownBy(() -> open(plans(), config(8, Map.of())))
        .hasMessageContaining("Build was cancelled by the progress monitor")
        .cause()
        .satisfies(cause ->
            assertThat(cause.getSuppressed())
                .extracting(Throwable::getMessage)
                .contains("broken clock"));
  }

  @Test
  void aFileThatChangesDuringTheBuildIsNotCachedUnderItsFormerContent() throws IOException {
    var changed = new AtomicBoolean();
    nanoTime =
        () -> {
          if (changed.compareAndSet(false, true)) {
            write(new OnnxFileWriter().input("X", -1, 4).input("unused", 1), NETWORK);
          }
          return now.get();
        };

    assertThatThrownBy(() -> open(plans(), config(8, Map.of())))
        .hasMessageContaining("were changed while its plan was built");

    assertThat(cacheDirectory).isDirectoryNotContaining("glob:**.plan");
  }

  @Test
  void aMissingParserIsNamedWithItsCure() {
    var lack = new Lack("TensorRT's ONNX parser not found", "install it");
    var plans =
        new OnnxPlans(
            TensorRt.open(1), Optional.of(lack), "13.0", cache(cacheDirectory), 4, nanoTime);

    assertThatThrownBy(() -> open(plans, config(8, Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageStartingWith("model 'm': no plan can be built from ")
        .hasMessageEndingWith("TensorRT's ONNX parser not found; install it");
  }

  @Test
  void aFileThatIsNoOnnxModelIsNamed() throws IOException {
    Path file = files.versionDirectory().resolve("model.onnx");
    Files.writeString(file, "no protobuf");

    assertThatThrownBy(() -> open(plans(), config(8, Map.of())))
        .hasMessageStartingWith("cannot read '%s' of model 'm': ", file);
  }

  private void assertRejected(ModelConfig config, String message) {
    assertThatThrownBy(() -> open(plans(), config))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining(message);
    assertCalls(Map.of("IBuilder_buildSerializedNetwork", 0));
  }

  private void assertCalls(Map<String, Integer> expected) {
    Map<String, Integer> found = new HashMap<>();
    expected.keySet().forEach(function -> found.put(function, (int) cuda.calls(function)));
    assertThat(found).isEqualTo(expected);
  }

  private CompletableFuture<String> startBuild(OnnxPlans plans, Gpu gpu) {
    var result = new CompletableFuture<String>();
    Thread.ofPlatform().start(() -> complete(result, plans, gpu));
    return result;
  }

  private void complete(CompletableFuture<String> result, OnnxPlans plans, Gpu gpu) {
    try (Plan plan = open(plans, config(8, Map.of()), gpu)) {
      result.complete(text(plan));
    } catch (RuntimeException | Error failure) {
      result.completeExceptionally(failure);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  private void write(OnnxFileWriter model, String network) {
    model
        .documentation("double-network\n" + network + "end\n")
        .write(files.versionDirectory().resolve("model.onnx"));
  }

  private String built(ModelConfig config) {
    try (Plan plan = open(plans(), config)) {
      return text(plan);
    }
  }

  private static String text(Plan plan) {
    return new String(plan.bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  private Plan open(OnnxPlans plans, ModelConfig config) {
    return open(plans, config, GPU);
  }

  private Plan open(OnnxPlans plans, ModelConfig config, Gpu gpu) {
    return new PlanSource(plans).open(files, config, gpu);
  }

  private OnnxPlans plans() {
    return plans(cacheDirectory);
  }

  private OnnxPlans plans(Path directory) {
    return new OnnxPlans(
        TensorRt.open(1),
        Optional.empty(),
        "13.0",
        cache(directory),
        4,
        () -> nanoTime.getAsLong());
  }

  private static PlanCache cache(Path directory) {
    return new PlanCache(directory, 0, InstantSource.system());
  }

  private void deleteCache() throws IOException {
    try (var all = Files.newDirectoryStream(cacheDirectory)) {
      for (Path file : all) {
        Files.delete(file);
      }
    }
    Files.delete(cacheDirectory);
  }

  /**
   * A configuration of the model.
   *
   * @param maxBatchSize -1 for a configuration that is complete and does not batch
   */
  private static ModelConfig config(int maxBatchSize, Map<String, String> parameters) {
    var all = new HashMap<>(parameters);
    all.put("tensorrt_build_from_onnx", "true");
    return maxBatchSize < 0
        ? Configs.of(0, List.of(Configs.input("X", -1, 4)), all)
        : Configs.of(maxBatchSize, List.of(), all);
  }
}
