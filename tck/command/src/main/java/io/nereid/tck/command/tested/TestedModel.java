package io.nereid.tck.command.tested;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.PipelinedInstance;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tck.model.OpenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A model of a repository, whose latest version is verified.
 *
 * @param options of its backend
 * @param requests what it is asked; none if its inputs are made at random
 * @param completed its configuration, as far as the backend completes it
 * @param isPipelined whether an instance can have several batches in flight
 */
record TestedModel(
    BackendUnderTest tested,
    Map<String, String> options,
    GivenRequests requests,
    ModelConfig completed,
    boolean isPipelined) {
  /**
   * The model of a directory, which is loaded and unloaded. What goes wrong there in another way
   * than by the contract is left to the rules.
   *
   * @param jars the folder of the backend
   * @throws WrongArgument if the directory has no version, the backend refuses the model, or the
   *     file beside it has no requests for it
   */
  static TestedModel of(
      BackendProvider provider,
      Path jars,
      Path directory,
      ModelConfig config,
      Map<String, String> options)
      throws IOException {
    var tested =
        new BackendUnderTest(
                provider,
                TestContext.of(config.backend()).withFolder(jars),
                new ModelFiles(directory, latestVersion(directory)),
                config,
                InstanceSettings.Kind.KIND_CPU)
            .withOptions(options);
    var requests = GivenRequests.read(directory.resolveSibling(directory.getFileName() + ".json"));
    ModelConfig completed = config;
    boolean isPipelined = false;
    try (var model = OpenModel.of(tested)) {
      completed = model.config();
      isPipelined = model.instance() instanceof PipelinedInstance;
      requests.requireFit(completed);
    } catch (InferenceException refused) {
      throw new WrongArgument(
          "--models: '%s' does not load: %s".formatted(directory, refused.getMessage()));
    } catch (WrongArgument wrong) {
      throw wrong;
    } catch (RuntimeException | Error _) { // the rules tell
    }
    return new TestedModel(tested, options, requests, completed, isPipelined);
  }

  private static long latestVersion(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries
          .filter(Files::isDirectory)
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.matches("[1-9]\\d{0,17}"))
          .mapToLong(Long::parseLong)
          .max()
          .orElseThrow(() ->
              new WrongArgument(
                  "--models: model '%s' has no version, expected a folder such as %s"
                      .formatted(directory.getFileName(), directory.resolve("1"))));
    }
  }

  /** The backend and the model, with a context that no other test has used. */
  BackendUnderTest backend() {
    return tested.withOptions(options);
  }
}
