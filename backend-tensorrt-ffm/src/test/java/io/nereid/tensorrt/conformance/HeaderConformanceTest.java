package io.nereid.tensorrt.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.builder.OptimizationProfile;
import io.nereid.tensorrt.conformance.ConformanceProgram.Fact;
import io.nereid.tensorrt.engine.TensorRtVersion;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the slots, signatures, constants and layouts of our headers with NVIDIA's headers of any
 * 10.x or 11.x, which {@code tensorrt.include} names: one folder, or several as in a class path. A
 * C++ compiler does both sides, so the comparison holds for the processor that it runs on.
 */
@Tag("trt-headers")
class HeaderConformanceTest {
  private static final Path OURS = Path.of("src/main/native-headers");

  /** Slots that are read only from a version on. */
  private static final Map<String, Integer> SINCE =
      Map.of(
          "trt10_ICudaEngine.getDeviceMemorySizeV2",
          TensorRtVersion.DEVICE_MEMORY_SIZE_V2,
          "trt10_ICudaEngine.getDeviceMemorySizeForProfileV2",
          TensorRtVersion.DEVICE_MEMORY_SIZE_V2,
          "trt10_ICudaEngine.getProfileTensorValuesV2",
          TensorRtVersion.PROFILE_TENSOR_VALUES_V2,
          "trt10_IOptimizationProfile.setShapeValuesV2",
          OptimizationProfile.SHAPE_VALUES_VERSION);

  @TempDir private Path folder;

  @TestFactory
  Stream<DynamicTest> everyFactOfOurHeadersHoldsForNvidias() {
    return includes().map(include -> test("", include, () -> compare(include)));
  }

  @TestFactory
  Stream<DynamicTest> aMethodThatIsOneSlotOffIsReported() {
    return includes().map(include -> test("moved: ", include, () -> compareMoved(include)));
  }

  private void compare(Path include) throws IOException {
    List<Fact> facts = run(include, OURS);

    TensorRtVersion version = version(include);
    System.out.println("TensorRT " + version + ", " + include);
    for (Fact fact : facts) {
      String verdict = fact.agrees() ? "" : fact.isAbsent() ? "   <- absent" : "   <- DIFFERS";
      System.out.printf("  %-64s %-60s %s%s%n", fact.name(), fact.ours(), fact.theirs(), verdict);
    }
    assertThat(facts).hasSizeGreaterThan(100);
    assertThat(facts).filteredOn(fact -> !fact.agrees()).allMatch(fact -> isGated(fact, version));
  }

  /** A value of DataType is only ever read, so the library's version need not know all of ours. */
  private static boolean isGated(Fact fact, TensorRtVersion version) {
    return fact.isAbsent()
        && (fact.name().startsWith("nvinfer1::DataType.")
            || !version.isAtLeast(SINCE.getOrDefault(fact.name(), 0)));
  }

  private void compareMoved(Path include) throws IOException {
    Path copy = Files.createDirectories(folder.resolve("moved"));
    try (Stream<Path> headers = Files.list(OURS)) {
      for (Path header : headers.filter(h -> h.toString().endsWith(".h")).toList()) {
        String text = Files.readString(header);
        // The runtime's first gap is one slot longer; one constant has another number.
        text = text.replaceFirst("unused_0\\[3]", "unused_0[4]").replace("kBF16 = 7", "kBF16 = 70");
        Files.writeString(copy.resolve(header.getFileName()), text);
      }
    }

    List<String> different =
        run(include, copy).stream()
            .filter(fact -> !fact.agrees() && !fact.isAbsent())
            .map(Fact::name)
            .toList();

    String runtime = "trt" + version(include).major() + "_IRuntime.";
    assertThat(different)
        .containsExactlyInAnyOrder(
            "nvinfer1::DataType.kBF16",
            runtime + "deserializeCudaEngine",
            runtime + "setMaxThreads",
            runtime + "setEngineHostCodeAllowed");
  }

  private List<Fact> run(Path include, Path headers) throws IOException {
    return ConformanceProgram.run(include, headers, version(include).major(), folder);
  }

  private static DynamicTest test(String prefix, Path include, Action action) {
    return DynamicTest.dynamicTest(prefix + include, action::run);
  }

  private interface Action {
    void run() throws IOException;
  }

  private static Stream<Path> includes() {
    String property = System.getProperty("tensorrt.include", "");
    assertThat(property)
        .as(
            "-Dtensorrt.include=FOLDER names the folder of NvInfer.h, such as include/ of NVIDIA's repository")
        .isNotEmpty();
    return Arrays.stream(property.split(File.pathSeparator)).map(Path::of);
  }

  /** The version that NVIDIA's headers state. */
  private static TensorRtVersion version(Path include) throws IOException {
    String text = Files.readString(include.resolve("NvInferVersion.h"));
    return new TensorRtVersion(
        10000 * number(text, "MAJOR") + 100 * number(text, "MINOR") + number(text, "PATCH"));
  }

  private static int number(String text, String part) {
    Matcher define =
        Pattern.compile("#define (?:NV_TENSORRT_%1$s|TRT_%1$s_ENTERPRISE) +(\\d+)".formatted(part))
            .matcher(text);
    assertThat(define.find()).as(part).isTrue();
    return Integer.parseInt(define.group(1));
  }
}
