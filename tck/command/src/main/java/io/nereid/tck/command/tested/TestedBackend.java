package io.nereid.tck.command.tested;

import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigParser;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.spi.BackendProvider;
import io.nereid.tck.command.report.CaseResult;
import io.nereid.tck.command.report.Failure;
import io.nereid.tck.command.report.ReportedServer;
import io.nereid.tck.command.report.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The models of a backend, which are verified one after the other. One thread does it. */
final class TestedBackend implements Tested {
  private final ReportedServer identity;
  private final List<TestedModel> models;
  private String current = "";

  private TestedBackend(Path folder, Path repository, List<TestedModel> models) {
    String names =
        models.stream()
            .map(model -> model.tested().config().backend())
            .distinct()
            .collect(Collectors.joining(", "));
    this.identity =
        new ReportedServer(
            "backend " + names,
            "",
            List.of(),
            "%s with the models of %s".formatted(folder, repository));
    this.models = models;
  }

  /**
   * Finds a backend, and the models of a repository that use it.
   *
   * @param options of the backend
   * @throws WrongArgument if there is no backend or no model of it, or a model does not load
   */
  static TestedBackend open(Path folder, Path repository, Map<String, String> options) {
    Map<String, BackendProvider> providers = BackendFolder.providers(folder);
    ModelConfigParser parser =
        ServiceLoader.load(ModelConfigParser.class).findFirst().orElseThrow();
    List<TestedModel> models = new ArrayList<>();
    Set<String> others = new TreeSet<>();
    try {
      for (Path directory : directories(repository)) {
        ModelConfig config = parser.parse(directory);
        BackendProvider provider = providers.get(config.backend());
        if (provider == null) {
          others.add(config.backend());
        } else {
          models.add(TestedModel.of(provider, folder, directory, config, options));
        }
      }
    } catch (InferenceException wrong) {
      throw new WrongArgument("--models: " + wrong.getMessage());
    } catch (IOException unreadable) {
      throw new WrongArgument(
          "--models: '%s' cannot be read: %s".formatted(repository, IoReason.of(unreadable)));
    }
    if (models.isEmpty()) {
      throw new WrongArgument(
          "--models: '%s' has no model of the backends %s: its models are of %s"
              .formatted(repository, providers.keySet(), others));
    }
    return new TestedBackend(folder, repository, models);
  }

  private static List<Path> directories(Path repository) throws IOException {
    try (Stream<Path> entries = Files.list(repository)) {
      return entries
          .filter(
              entry -> Files.isDirectory(entry) && !entry.getFileName().toString().startsWith("."))
          .sorted()
          .toList();
    }
  }

  @Override
  public ReportedServer identity() {
    return identity;
  }

  @Override
  public void run(Consumer<Class<?>> junit) {
    for (TestedModel model : models) {
      current = model.tested().config().name();
      ScopedValue.where(ModelSuite.MODEL, model).run(() -> junit.accept(ModelSuite.class));
    }
  }

  /** A case names its model. */
  @Override
  public CaseResult counted(String rule, CaseResult result) {
    return new CaseResult(
        current + ": " + result.name(),
        result.verdict(),
        result.millis(),
        result.reason(),
        result.failure().map(this::named),
        result.messages());
  }

  private Failure named(Failure failure) {
    String model = Matcher.quoteReplacement(": model '%s': ".formatted(current));
    return new Failure(
        failure.message().replaceFirst(": ", model),
        failure.expected(),
        failure.actual(),
        failure.place());
  }

  /** What does not concern one model may concern another. */
  @Override
  public List<CaseResult> decisive(List<CaseResult> results) {
    List<CaseResult> verified =
        results.stream().filter(result -> result.verdict() != Verdict.SKIPPED).toList();
    return verified.isEmpty() ? results : verified;
  }
}
