package io.nereid.server;

import java.util.List;
import picocli.CommandLine.IVersionProvider;

/** What this build calls itself, and which extensions of the protocol it speaks. */
final class ServerVersion implements IVersionProvider {
  /** As in the jar's manifest; "development" when run from classes. */
  static final String TEXT = version();

  /** By the protocol's names, in Triton's order; those that are served, no others. */
  static final List<String> EXTENSIONS =
      List.of(
          "classification",
          "model_configuration",
          "binary_tensor_data",
          "parameters",
          "statistics");

  @Override
  public String[] getVersion() {
    return new String[] {"nereid " + TEXT};
  }

  private static String version() {
    String version = ServerVersion.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
