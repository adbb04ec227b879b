package io.nereid.tensorrt.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That the conformance program is given all that our headers state; needs no header of NVIDIA. */
class HeaderFactsTest {
  private static final Path HEADERS = Path.of("src/main/native-headers");

  @ParameterizedTest
  @ValueSource(ints = {10, 11})
  void listsSlotsConstantsLayoutsObjectsAndFunctions(int major) throws IOException {
    List<String> facts = HeaderFacts.of(HEADERS, major);

    assertThat(facts)
        .contains(
            "FUNCTION(createInferRuntime_INTERNAL)",
            "MEMBER(nvinfer1::Dims64, trt_Dims, d)",
            "SIZE(nvinfer1::Dims64, trt_Dims)",
            "CONSTANT(nvinfer1::DataType, kBF16, kBF16)",
            "OBJECT(nvinfer1::IExecutionContext)",
            "WHOLE(nvinfer1::IOutputAllocator, trt_IOutputAllocator)",
            "SLOT(nvinfer1::ILogger, trt%d_ILogger, log)".formatted(major),
            "SLOT(nvinfer1::apiv::VExecutionContext, trt%d_IExecutionContext, enqueueV3)"
                .formatted(major),
            "SLOT(nvonnxparser::IParser, trt%d_IParser, getError)".formatted(major),
            "DESTRUCTORS(nvonnxparser::IParser, trt%d_IParser, deletingDestructor)"
                .formatted(major))
        .doesNotHaveDuplicates()
        .noneMatch(fact -> fact.contains("unused_") || fact.contains("trt" + (21 - major) + "_"));
  }
}
