package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.config.ModelConfig;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What builds of plans keep for later ones, against the doubles of the libraries. */
@UsesDoubles
@Timeout(120)
class OnnxPlansCacheDoubleTest extends OnnxPlansUnderTest {
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
    var both = whileTheFirstBuilds(config(8, Map.of()), new Gpu(1, GPU.name(), "9.0"));

    assertThat(both.second().join()).isEqualTo(both.first().join());
    assertCalls(Map.of("createInferBuilder", 1));
  }

  @Test
  void aBuildThatWaitsTakesOverTheBuilder() throws InterruptedException {
    var both = whileTheFirstBuilds(config(4, Map.of()), GPU);

    assertThat(both.second().join()).isNotEqualTo(both.first().join());
    assertCalls(Map.of("createInferBuilder", 1, "IBuilder_buildSerializedNetwork", 2));
  }

  @Test
  void aBuildOnAnotherDeviceHasItsOwnBuilder() throws InterruptedException {
    CompletableFuture<String> first;
    try (var pause = new Pause()) {
      OnnxPlans plans = plans();
      first = startBuild(plans, config(8, Map.of()), GPU);
      pause.awaitBuild();
      nanoTime = now::get;

      startBuild(plans, config(4, Map.of()), new Gpu(1, GPU.name(), "9.0")).join();

      assertThat(first).isNotDone();
    }
    first.join();
    assertCalls(Map.of("createInferBuilder", 2));
  }

  @Test
  void theBuilderOfABuildThatFailedIsNotTakenOver() throws InterruptedException {
    cuda.failNext("IBuilder_buildSerializedNetwork", 1);

    var both = whileTheFirstBuilds(config(4, Map.of()), GPU);

    assertThat(both.second().join()).isNotEmpty();
    assertThatThrownBy(both.first()::join).hasMessageContaining("failed to build a plan");
    assertCalls(Map.of("createInferBuilder", 2));
  }

  @Test
  void aBuilderIsKeptForTheNextBuildAndClosedIfThereIsNone() {
    List<Runnable> tasks = new ArrayList<>();
    later = tasks::add;
    OnnxPlans plans = plans();
    open(plans, config(8, Map.of())).close();
    open(plans, config(4, Map.of())).close();
    assertCalls(Map.of("createInferBuilder", 1, "IBuilder_buildSerializedNetwork", 2));

    tasks.getFirst().run(); // of the first build, since which there was another
    assertThat(cuda.live("IBuilder")).isEqualTo(1);

    tasks.getLast().run();
    assertThat(cuda.live("IBuilder")).isZero();
    open(plans, config(2, Map.of())).close();
    assertCalls(Map.of("createInferBuilder", 2));
    tasks.getLast().run();
  }

  @Test
  void cancellingClosesABuilderThatIsKept() {
    later = _ -> {};
    OnnxPlans plans = plans();
    open(plans, config(8, Map.of())).close();
    assertThat(cuda.live("IBuilder")).isEqualTo(1);

    plans.cancel();

    assertThat(cuda.live("IBuilder")).isZero();
  }

  private record Builds(CompletableFuture<String> first, CompletableFuture<String> second) {}

  /** Opens a second plan, which has to wait for the first one, of a batch of 8 on {@link #GPU}. */
  private Builds whileTheFirstBuilds(ModelConfig config, Gpu gpu) throws InterruptedException {
    try (var pause = new Pause()) {
      OnnxPlans plans = plans();
      CompletableFuture<String> first = startBuild(plans, config(8, Map.of()), GPU);
      pause.awaitBuild();
      var other = new CompletableFuture<String>();
      Thread second = Thread.ofPlatform().start(() -> complete(other, plans, config, gpu));
      while (second.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      return new Builds(first, other);
    }
  }

  /** Halts builds that begin until it is closed. */
  private final class Pause implements AutoCloseable {
    private final CountDownLatch building = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    Pause() {
      nanoTime =
          () -> {
            building.countDown();
            await(release);
            return now.get();
          };
    }

    void awaitBuild() throws InterruptedException {
      building.await();
    }

    @Override
    public void close() {
      release.countDown();
    }
  }

  private CompletableFuture<String> startBuild(OnnxPlans plans, ModelConfig config, Gpu gpu) {
    var result = new CompletableFuture<String>();
    Thread.ofPlatform().start(() -> complete(result, plans, config, gpu));
    return result;
  }

  private void complete(
      CompletableFuture<String> result, OnnxPlans plans, ModelConfig config, Gpu gpu) {
    try (Plan plan = open(plans, config, gpu)) {
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
}
