package io.nereid.tck.command.tested;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which backend is verified, and with which models. */
public final class TestedBackendOptions {
  @Option(
      names = "--backend",
      paramLabel = "<folder>",
      description =
          "The folder of the jars of a backend, which is verified in place of a server, by the"
              + " rules for backends.")
  private String folder = "";

  @Option(
      names = "--models",
      paramLabel = "<folder>",
      description = {
        "A model repository with models of the backend.",
        "Their inputs are made at random, unless a file beside the model's folder, such as"
            + " prices.json, has a request of the v2 protocol, or an array of such."
      })
  private String models = "";

  @Option(
      names = "--backend-config",
      paramLabel = "<key>=<value>",
      description = "An option of the backend. Repeatable.")
  private Map<String, String> options = new HashMap<>();

  /** Whether a backend is verified. */
  public boolean isGiven() {
    return !folder.isEmpty();
  }

  /**
   * The backend and its models.
   *
   * @throws WrongArgument if the folder has no backend, or there is no model of it that loads
   */
  public Tested open() {
    if (models.isEmpty()) {
      throw new WrongArgument("--backend needs --models, a model repository with models of it");
    }
    return TestedBackend.open(Path.of(folder), Path.of(models), options);
  }
}
