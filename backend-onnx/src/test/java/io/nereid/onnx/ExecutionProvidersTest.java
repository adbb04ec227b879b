package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExecutionProvidersTest {
  private final ExecutionProviders providers = new ExecutionProviders("m", List.of());

  @Test
  void translatesTritonsNamesOfTensorRtOptions() {
    var parameters =
        Map.of(
            "precision_mode", "FP16",
            "max_workspace_size_bytes", "1073741824",
            "trt_engine_cache_enable", "1");

    assertThat(providers.tensorRt(parameters))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "trt_fp16_enable", "1",
                "trt_max_workspace_size", "1073741824",
                "trt_engine_cache_enable", "1"));
    assertThat(providers.tensorRt(Map.of("precision_mode", "FP32"))).isEmpty();
    assertThatThrownBy(() -> providers.tensorRt(Map.of("precision_mode", "FP12")))
        .hasMessage("model 'm': unsupported precision mode 'FP12' is requested");
  }

  @Test
  void translatesTritonsNumbersForCudaOptions() {
    var parameters =
        Map.of(
            "cudnn_conv_algo_search", "1",
            "arena_extend_strategy", "1",
            "gpu_mem_limit", "4294967200",
            "intra_op_thread_count", "2");

    assertThat(providers.cudaParameters(parameters))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "cudnn_conv_algo_search", "HEURISTIC",
                "arena_extend_strategy", "kSameAsRequested",
                "gpu_mem_limit", "4294967200"));
    assertThatThrownBy(() -> providers.cudaParameters(Map.of("cudnn_conv_algo_search", "3")))
        .hasMessage("model 'm': unsupported cudnn_conv_algo_search value '3' is requested");
  }
}
