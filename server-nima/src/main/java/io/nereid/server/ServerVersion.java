package io.nereid.server;

import java.util.List;
import picocli.CommandLine.IVersionProvider;

/** The version of this build and the extensions of the protocol that it implements. */
final class ServerVersion implements IVersionProvider {
  /** The version in the jar's manifest, or "development" without a jar. */
  static final String TEXT = version();

  /** The implemented extensions, by the protocol's names and in Triton's order. */
  static final List<String> EXTENSIONS =
      List.of(
          "classification",
          "sequence",
          "model_repository",
          "model_repository(unload_dependents)",
          "schedule_policy",
          "model_configuration",
          "system_shared_memory",
          "cuda_shared_memory",
          "binary_tensor_data",
          "parameters",
          "statistics",
          "trace",
          "logging");

  @Override
  public String[] getVersion() {
    return new String[] {"nereid " + TEXT};
  }

  private static String version() {
    String version = ServerVersion.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
