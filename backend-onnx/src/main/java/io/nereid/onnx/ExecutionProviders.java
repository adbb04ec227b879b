package io.nereid.onnx;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtSessionOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The execution providers of a session: those of {@code optimization.execution_accelerators} in
 * order, then CUDA for an instance on a GPU. ONNX Runtime falls back to the CPU. An accelerator
 * that the library lacks is left out: it only makes a model faster. A GPU that an instance needs is
 * not.
 *
 * @param model name of the model, for messages
 * @param available names of the providers that the library was built with
 */
record ExecutionProviders(String model, List<String> available) {
  private static final String CUDA = "CUDAExecutionProvider";
  private static final String TENSORRT = "TensorrtExecutionProvider";
  private static final String OPENVINO = "OpenVINOExecutionProvider";

  /** TensorRT options that Triton names differently from ONNX Runtime. */
  static final Map<String, String> TENSORRT_NAMES =
      Map.of(
          "max_workspace_size_bytes", "trt_max_workspace_size",
          "int8_calibration_table_name", "trt_int8_calibration_table_name",
          "int8_use_native_calibration_table", "trt_int8_use_native_calibration_table");

  /** Parameters of the model that apply to CUDA unless there is an accelerator {@code cuda}. */
  private static final List<String> CUDA_PARAMETERS =
      List.of(
          "cudnn_conv_algo_search",
          "gpu_mem_limit",
          "arena_extend_strategy",
          "do_copy_in_default_stream");

  /**
   * Checks the names of accelerators.
   *
   * @throws InferenceException INVALID_ARGUMENT if one of the CPU is unknown; those of the GPU are
   *     not looked at without one, as in Triton
   */
  static void check(ModelConfig config) {
    for (Accelerator accelerator : config.optimization().cpuAccelerators()) {
      if (!accelerator.name().equals("openvino")) {
        throw unknown(config.name(), accelerator);
      }
    }
  }

  /** What is left out of a configuration for instances on the CPU, a sentence each. */
  List<String> leftOut(ModelConfig config) {
    var sentences = new ArrayList<String>();
    for (Accelerator accelerator : config.optimization().cpuAccelerators()) {
      if (!available.contains(OPENVINO)) {
        sentences.add(
            leftOut(
                accelerator,
                "this ONNX Runtime library has no %s, only %s"
                    .formatted(OPENVINO, String.join(", ", available))));
      }
    }
    for (Accelerator accelerator : config.optimization().gpuAccelerators()) {
      sentences.add(leftOut(accelerator, "its instances run on the CPU"));
    }
    return sentences;
  }

  private String leftOut(Accelerator accelerator, String why) {
    return "model '%s' runs without the execution accelerator '%s': %s"
        .formatted(model, accelerator.name(), why);
  }

  /**
   * Adds the providers to {@code options}.
   *
   * @throws InferenceException if the configuration names an unknown accelerator, or the instance
   *     needs a GPU and the library has no CUDA
   */
  void applyTo(OrtSessionOptions options, ModelConfig config, InstanceSettings instance) {
    if (instance.kind() == InstanceSettings.Kind.KIND_GPU) {
      addGpu(options, config, instance.deviceId());
    }
    check(config);
    for (Accelerator accelerator : config.optimization().cpuAccelerators()) {
      if (!available.contains(OPENVINO)) {
        continue;
      }
      var settings = new LinkedHashMap<>(accelerator.parameters());
      settings.putIfAbsent("device_type", "CPU");
      options.appendOpenVino(settings);
    }
  }

  private void addGpu(OrtSessionOptions options, ModelConfig config, int deviceId) {
    requireCuda();
    Map<String, String> cuda = cudaParameters(config.parameters());
    for (Accelerator accelerator : config.optimization().gpuAccelerators()) {
      switch (accelerator.name()) {
        case "tensorrt" -> {
          if (available.contains(TENSORRT)) {
            options.appendTensorRt(on(deviceId, tensorRt(accelerator.parameters())));
          }
        }
        case "cuda" -> cuda = accelerator.parameters();
        default -> throw unknown(model, accelerator);
      }
    }
    options.appendCuda(on(deviceId, cuda));
  }

  private static Map<String, String> on(int deviceId, Map<String, String> settings) {
    var all = new LinkedHashMap<>(settings);
    all.put("device_id", Integer.toString(deviceId));
    return all;
  }

  /** The parameters of an accelerator under ONNX Runtime's names. */
  Map<String, String> tensorRt(Map<String, String> parameters) {
    var settings = new LinkedHashMap<String, String>();
    parameters.forEach((key, value) -> {
      if (!key.equals("precision_mode")) {
        settings.put(TENSORRT_NAMES.getOrDefault(key, key), value);
        return;
      }
      switch (value) {
        case "FP16" -> settings.put("trt_fp16_enable", "1");
        case "BF16" -> settings.put("trt_bf16_enable", "1");
        case "INT8" -> settings.put("trt_int8_enable", "1");
        case "FP32" -> {}
        default ->
            throw InferenceException.invalid(
                "model '%s': unsupported precision mode '%s' is requested".formatted(model, value));
      }
    });
    return settings;
  }

  /** The CUDA options among a model's parameters, with ONNX Runtime's values. */
  Map<String, String> cudaParameters(Map<String, String> parameters) {
    var settings = new LinkedHashMap<String, String>();
    for (String key : CUDA_PARAMETERS) {
      String value = parameters.get(key);
      if (value != null) {
        settings.put(key, translate(key, value));
      }
    }
    return settings;
  }

  /** Translates a value: for some keys, Triton takes numbers where ONNX Runtime takes names. */
  private String translate(String key, String value) {
    List<String> names =
        switch (key) {
          case "cudnn_conv_algo_search" -> List.of("EXHAUSTIVE", "HEURISTIC", "DEFAULT");
          case "arena_extend_strategy" -> List.of("kNextPowerOfTwo", "kSameAsRequested");
          default -> List.of();
        };
    if (names.isEmpty()) {
      return value;
    }
    for (int i = 0; i < names.size(); i++) {
      if (value.equals(Integer.toString(i))) {
        return names.get(i);
      }
    }
    throw InferenceException.invalid(
        "model '%s': unsupported %s value '%s' is requested".formatted(model, key, value));
  }

  private void requireCuda() {
    if (!available.contains(CUDA)) {
      throw InferenceException.unavailable(
          "model '%s' needs %s, which this ONNX Runtime library does not have; it has %s"
              .formatted(model, CUDA, available));
    }
  }

  private static InferenceException unknown(String model, Accelerator accelerator) {
    return InferenceException.invalid(
        "model '%s': unknown Execution Accelerator '%s' is requested"
            .formatted(model, accelerator.name()));
  }
}
