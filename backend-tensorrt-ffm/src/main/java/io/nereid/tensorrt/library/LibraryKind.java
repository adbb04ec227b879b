package io.nereid.tensorrt.library;

import java.util.List;

/** The libraries that the backend uses, with the names under which NVIDIA installs them. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are those of List.of
enum LibraryKind {
  CUDART(
      "cudart",
      "CUDA runtime library",
      List.of("libcudart.so.13", "libcudart.so.12"),
      List.of("nvidia/cu13/lib", "nvidia/cuda_runtime/lib")),
  /** The last name is the link of a development package: it shows which version there is. */
  NVINFER(
      "nvinfer",
      "TensorRT library",
      List.of("libnvinfer.so.11", "libnvinfer.so.10", "libnvinfer.so"),
      List.of("tensorrt_libs")),
  ONNX_PARSER(
      "nvonnxparser",
      "ONNX parser of TensorRT",
      List.of("libnvonnxparser.so.11", "libnvonnxparser.so.10"),
      List.of("tensorrt_libs")),
  PLUGINS(
      "nvinfer-plugin",
      "plugin library of TensorRT",
      List.of("libnvinfer_plugin.so.11", "libnvinfer_plugin.so.10"),
      List.of("tensorrt_libs"));

  private final String option;
  private final String description;
  private final List<String> names;
  private final List<String> wheelFolders;

  LibraryKind(String option, String description, List<String> names, List<String> wheelFolders) {
    this.option = option;
    this.description = description;
    this.names = names;
    this.wheelFolders = wheelFolders;
  }

  /** The key of the backend option that names the file. */
  String option() {
    return option;
  }

  /** The server's option that names the file, as an operator writes it. */
  String setting() {
    return "--backend-config=tensorrt," + option + "=<file>";
  }

  /** A noun for sentences. */
  String description() {
    return description;
  }

  /** File names, the one to prefer first. */
  List<String> names() {
    return names;
  }

  /** The names of the libraries that belong to a major version of TensorRT. */
  List<String> names(int major) {
    return names.stream().filter(name -> name.endsWith(".so." + major)).toList();
  }

  /** Folders of NVIDIA's Python packages, below a folder of packages. */
  List<String> wheelFolders() {
    return wheelFolders;
  }
}
