package io.nereid.tensorrt.build;

import io.nereid.tensorrt.build.profile.Profile;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a plan is made from: equal keys, equal plans. The text has a line for each ingredient, and
 * is logged when a plan is built.
 */
record PlanKey(String text) {
  /** Increased when the same ingredients lead to other calls of the builder. */
  private static final int RECIPE = 1;

  /**
   * The software that builds plans.
   *
   * @param tensorRt such as {@code 10.15.1}
   * @param tensorRtBuild the build of that version, which plans depend on as well
   * @param onnxParser its version number
   * @param cuda the version of the CUDA runtime, such as {@code 13.0}
   */
  record Toolchain(String tensorRt, int tensorRtBuild, int onnxParser, String cuda) {}

  static PlanKey of(
      ModelContent content,
      List<Profile> profiles,
      BuildSettings settings,
      Gpu gpu,
      Toolchain toolchain) {
    var text = new StringBuilder("recipe %s\n".formatted(RECIPE));
    content
        .hashes()
        .forEach((file, hash) ->
            text.append(file.isEmpty() ? "model " : "weights '%s' ".formatted(file))
                .append(hash)
                .append('\n'));
    text.append(
        "TensorRT %s build %s, ONNX parser %s, CUDA %s\n"
            .formatted(
                toolchain.tensorRt(),
                toolchain.tensorRtBuild(),
                toolchain.onnxParser(),
                toolchain.cuda()));
    text.append("GPU '%s' %s\n".formatted(gpu.name(), gpu.computeCapability()));
    for (Profile profile : profiles) {
      text.append("profile ").append(line(profile)).append('\n');
    }
    text.append(
        "precisions %s, strongly typed %s, TF32 %s, workspace %s, level %s\n"
            .formatted(
                settings.precisions(),
                settings.stronglyTyped(),
                settings.tf32(),
                settings.workspaceByteSize(),
                settings.optimizationLevel()));
    return new PlanKey(text.toString());
  }

  private static String line(Profile profile) {
    return profile.inputs().stream()
        .map(range ->
            "'%s' %s %s/%s/%s"
                .formatted(
                    range.input(),
                    range.ofValues() ? "values" : "dims",
                    range.min(),
                    range.opt(),
                    range.max()))
        .collect(Collectors.joining(", "));
  }

  byte[] hash() {
    return Hashes.sha256().digest(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The name of the plan in the cache, which is short, and almost certainly unique. */
  String fileName() {
    return HexFormat.of().formatHex(hash(), 0, 16) + ".plan";
  }
}
