package io.nereid.onnx;

import java.util.Set;

/**
 * The parameters of ONNX Runtime 1.29 that lead it to no file, library, address of memory or
 * environment variable, whatever their values: names are of {@code
 * onnxruntime_session_options_config_keys.h} and of the options of its execution providers. What a
 * later version adds is not among them until it was looked at.
 */
final class SafeParameters {
  static final String PREFIX = "session.";

  static final Set<String> SESSION =
      Set.of(
          "session.allow_released_opsets_only",
          "session.disable_aot_function_inlining",
          "session.disable_cpu_ep_fallback",
          "session.disable_double_qdq_remover",
          "session.disable_prepacking",
          "session.disable_qdq_constant_folding",
          "session.disable_quant_qdq",
          "session.dynamic_block_base",
          "session.enable_dq_matmulnbits_fusion",
          "session.enable_quant_qdq_cleanup",
          "session.force_spinning_stop",
          "session.graph_optimizations_loop_level",
          "session.inter_op.allow_spinning",
          "session.inter_op.spin_backoff_max",
          "session.inter_op.spin_duration_us",
          "session.intra_op.allow_spinning",
          "session.intra_op.spin_backoff_max",
          "session.intra_op.spin_duration_us",
          "session.intra_op_thread_affinities",
          "session.load_model_format",
          "session.qdq_matmulnbits_accuracy_level",
          "session.qdq_matmulnbits_block_size",
          "session.qdqisint8allowed",
          "session.set_denormal_as_zero",
          "session.strict_shape_type_inference",
          "session.use_device_allocator_for_initializers",
          "session.use_env_allocators",
          "session.x64quantprecision");

  /**
   * Options of CUDA; without {@code user_compute_stream}, {@code default_memory_arena_cfg} and
   * {@code gpu_external_*}, which are addresses of memory and of functions.
   */
  static final Set<String> CUDA =
      Set.of(
          "arena_extend_strategy",
          "cudnn_conv1d_pad_to_nc1d",
          "cudnn_conv_algo_search",
          "cudnn_conv_use_max_workspace",
          "device_id",
          "do_copy_in_default_stream",
          "enable_cuda_graph",
          "enable_skip_layer_norm_strict_mode",
          "fuse_conv_bias",
          "gpu_mem_limit",
          "prefer_nhwc",
          "sdpa_kernel",
          "tunable_op_enable",
          "tunable_op_max_tuning_duration_ms",
          "tunable_op_tuning_enable",
          "use_ep_level_unified_stream",
          "use_tf32");

  /** Options of TensorRT; without caches, dumps, calibration tables, plug-ins and folders. */
  static final Set<String> TENSORRT =
      Set.of(
          "device_id",
          "precision_mode",
          "trt_auxiliary_streams",
          "trt_bf16_enable",
          "trt_build_heuristics_enable",
          "trt_builder_optimization_level",
          "trt_context_memory_sharing_enable",
          "trt_cuda_graph_enable",
          "trt_detailed_build_log",
          "trt_dla_core",
          "trt_dla_enable",
          "trt_force_sequential_engine_build",
          "trt_fp16_enable",
          "trt_int8_enable",
          "trt_layer_norm_fp32_fallback",
          "trt_max_partition_iterations",
          "trt_max_workspace_size",
          "trt_min_subgraph_size",
          "trt_op_types_to_exclude",
          "trt_preview_features",
          "trt_profile_max_shapes",
          "trt_profile_min_shapes",
          "trt_profile_opt_shapes",
          "trt_sparsity_enable",
          "trt_tactic_sources");

  /** Options of OpenVINO; without {@code cache_dir}, {@code load_config} and {@code context}. */
  static final Set<String> OPENVINO =
      Set.of(
          "device_type",
          "disable_dynamic_shapes",
          "enable_opencl_throttling",
          "enable_qdq_optimizer",
          "model_priority",
          "num_of_threads",
          "num_streams",
          "precision");

  private SafeParameters() {}

  /** Those of an execution accelerator; none of one that is unknown, which does not load. */
  static Set<String> of(String accelerator) {
    return switch (accelerator) {
      case "cuda" -> CUDA;
      case "tensorrt" -> TENSORRT;
      case "openvino" -> OPENVINO;
      default -> Set.of();
    };
  }
}
