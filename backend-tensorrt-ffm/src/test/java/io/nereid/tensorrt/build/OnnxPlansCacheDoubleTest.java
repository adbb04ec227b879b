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
