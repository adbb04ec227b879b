package io.nereid.server;

import io.nereid.demo.Demo;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.file.OptionFile;
import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.model.lint.CompletedConfig;
import io.nereid.engine.model.lint.FindingWriter;
import io.nereid.engine.model.lint.LintReport;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.engine.scheduling.journal.replay.Replay;
import io.nereid.error.IoReason;
import io.nereid.server.command.NewBackend;
import io.nereid.server.doctor.CheckWriter;
import io.nereid.server.doctor.Doctor;
import io.nereid.server.options.BackendOptions;
import io.nereid.server.options.BareModelOption;
import io.nereid.server.options.ConfigOptions;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.process.AotCache;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogTail;
import io.nereid.server.telemetry.logging.Logging;
import io.nereid.training.Training;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What the command line can be told: {@code serve}, {@code lint}, {@code config}, {@code doctor},
 * {@code replay}, {@code new-backend} and {@code demo}. Each returns the status with which the
 * process exits, and throws what {@link Main} makes a sentence.
 */
@Command(
    name = "nereid",
    description = "An inference server for the v2 protocol.",
    subcommands = CommandLine.HelpCommand.class,
    addMethodSubcommands = false,
    synopsisSubcommandLabel = "COMMAND")
final class Commands {
  @Spec private @Nullable CommandSpec spec;

  @Command(
      name = "serve",
      description = "Serves the models of a repository until SIGTERM or SIGINT.",
      mixinStandardHelpOptions = true)
  static int serve(@Mixin ServerOptions options) throws IOException, InterruptedException {
    start(options).shutdown().await();
    return 0;
  }

  /** A server that serves, until it is closed or a signal stops it. */
  private record Running(NereidServer server, Shutdown shutdown) implements AutoCloseable {
    @Override
    public void close() {
      shutdown.cancel();
      server.close();
    }
  }

  private static Running start(ServerOptions options) throws IOException {
    options.check();
    options.requireRepository();
    LogControl log =
        OptionFile.open(
            "--log-file",
            () ->
                Logging.configure(
                    options.log().settings(),
                    options.clientSettings(),
                    new LogTail(options.http().console().isPresent() ? LogTail.KEPT : 0)));
    // Not a field: it would be made before main() has chosen the log manager.
    System.Logger logger = System.getLogger(Main.class.getName());
    logger.log(
        System.Logger.Level.INFO,
        "Nereid {0} on Java {1}",
        ServerVersion.TEXT,
        Runtime.version().toString());
    options.withoutEffect().forEach(text -> logger.log(System.Logger.Level.INFO, "{0}", text));
    try {
      return start(options, log, logger);
    } catch (IOException | RuntimeException failed) {
      if (!options.log().settings().isPlainConsole()) { // which gets the sentence by itself
        logger.log(System.Logger.Level.ERROR, Main.sentence(failed));
      }
      throw failed;
    }
  }

  private static Running start(ServerOptions options, LogControl log, System.Logger logger)
      throws IOException {
    AotCache.notice(System.getProperties())
        .ifPresent(text -> logger.log(System.Logger.Level.INFO, "{0}", text));
    var server = new NereidServer(options, log);
    Logging.showBackends(server.backendPackages(), log);
    var running = new Running(server, Shutdown.onSignal(server, options.exitTimeout()));
    try {
      server.start();
      return running;
    } catch (IOException | RuntimeException failed) {
      running.close();
      throw failed;
    }
  }

  @Command(
      name = "replay",
      description = {
        "Repeats the decisions of a scheduler journal, explains each, and compares them.",
        "Exits with 0 if all are the same, 1 if one differs, 2 if the file cannot be read."
      },
      mixinStandardHelpOptions = true)
  int replay(
      @Parameters(paramLabel = "<file>", description = "Written by serve --scheduler-journal.")
          Path file,
      @Option(
              names = "--model",
              paramLabel = "<name>",
              description = "The model whose decisions to replay. Default: all.")
          Optional<String> model,
      @Option(names = "--quiet", description = "Print differences and the summary only.")
          boolean quiet) {
    CommandLine line = line();
    try {
      return new Replay(line.getOut(), SchedulingRecords::record, model, quiet).run(file) ? 0 : 1;
    } catch (IOException unreadable) {
      line.getErr()
          .println("nereid: cannot replay '%s': %s".formatted(file, IoReason.of(unreadable)));
      return 2;
    }
  }

  @Command(
      name = "lint",
      description = {
        "Finds what would fail when models load, without serving them, and where it is.",
        "Exits with 0 if nothing would fail, 1 if something would, 2 if a path does not exist."
      },
      mixinStandardHelpOptions = true)
  int lint(
      @Parameters(
              paramLabel = "<repository or model>",
              arity = "1..*",
              description = "Directory of model directories, or of one model.")
          List<Path> paths,
      @Mixin BareModelOption bareModel,
      @Mixin ConfigOptions configs,
      @Mixin BackendOptions backends,
      @Option(
              names = "--no-backends",
              description = "Opens no backend: configurations are not completed from models.")
          boolean withoutBackends,
      @Option(
              names = "--load-timeout-secs",
              paramLabel = "<seconds>",
              defaultValue = "300",
              description = "How long a load is waited for. Default: ${DEFAULT-VALUE}.")
          long loadTimeoutSecs) {
    Logging.disable();
    requireDirectories(paths);
    bareModel.check(line(), paths.size(), "directory");
    try (var catalog = new BackendCatalog(backends.plugins(), List.of())) {
      LintSettings settings =
          new LintSettings(
              bareModel.name(),
              configs.settings(),
              withoutBackends ? Optional.empty() : Optional.of(catalog),
              Duration.ofSeconds(loadTimeoutSecs));
      LintReport report = RepositoryLint.run(settings, paths);
      new FindingWriter(line().getOut()).write(report);
      return report.errors() == 0 ? 0 : 1;
    }
  }

  @Command(
      name = "config",
      description = {
        "Prints the configuration of a model as the server completes it, as config.pbtxt.",
        "Exits with 1 if the model would not load, 2 if the path does not exist."
      },
      mixinStandardHelpOptions = true)
  int config(
      @Parameters(paramLabel = "<model>", description = "Directory of the model.") Path path,
      @Mixin BareModelOption bareModel,
      @Mixin ConfigOptions configs,
      @Mixin BackendOptions backends) {
    Logging.disable();
    requireDirectories(List.of(path));
    bareModel.check(line(), 1, "directory");
    try (var catalog = new BackendCatalog(backends.plugins(), List.of())) {
      LintSettings settings =
          new LintSettings(bareModel.name(), configs.settings(), Optional.of(catalog));
      line().getOut().print(new CompletedConfig(settings).text(path));
      line().getOut().flush();
      return 0;
    }
  }

  private CommandLine line() {
    return Objects.requireNonNull(spec).commandLine();
  }

  private void requireDirectories(List<Path> paths) {
    for (Path path : paths) {
      if (!Files.isDirectory(path)) {
        throw new CommandLine.ParameterException(
            line(),
            (Files.exists(path) ? "'%s' is a file: give its directory '%s'" : "no directory '%s'")
                .formatted(path, path.toAbsolutePath().normalize().getParent()));
      }
    }
  }

  @Command(
      name = "doctor",
      description = {
        "Looks at what a server with these options needs of this machine, and what is missing.",
        "Exits with 0 if nothing keeps it from its work, 1 if something does, 2 if an option is"
            + " wrong."
      },
      mixinStandardHelpOptions = true)
  int doctor(@Mixin ServerOptions options) {
    options.check();
    Logging.disable();
    try (var catalog = new BackendCatalog(options.backends().plugins(), List.of())) {
      return new CheckWriter(line().getOut()).write(Doctor.examine(options, catalog)) ? 0 : 1;
    }
  }

  @Command(
      name = "new-backend",
      description = {
        "Makes a Maven project for a backend in a new folder of that name: it builds, is tested by"
            + " the kit, and serves a model.",
        "Exits with 1 if the folder exists or cannot be written, or the name cannot be a backend's."
      },
      mixinStandardHelpOptions = true)
  int newBackend(
      @Parameters(paramLabel = "<name>", description = "What 'backend:' of its models will say.")
          String name,
      @Option(names = "--launcher", hidden = true, description = "The command that serves.")
          Optional<String> launcher)
      throws IOException {
    String home = System.getProperty("nereid.home");
    String serving =
        launcher.orElse(home == null ? "nereid" : Path.of(home, "bin", "nereid").toString());
    Path made = new NewBackend(name, ServerVersion.TEXT, serving).create(Path.of(""));
    var out = line().getOut();
    out.printf(
        """
        nereid: made the project '%s' of a backend:
          cd %s
          ./mvnw package -DskipTests   # builds it
          ./mvnw verify                # builds it, and tests it by the kit
          ./serve                      # serves its model; README.md has a request
        """,
        made, made);
    return 0;
  }

  @Command(
      name = "demo",
      description = "Serves models, sends them handwritten digits, and prints the predictions.",
      mixinStandardHelpOptions = true)
  int demo(
      @Option(
              names = "--samples",
              required = true,
              paramLabel = "<directory>",
              description = "Directory of request files and their truth.tsv.")
          Path samples,
      @Option(names = "--once", description = "Exit after the predictions.") boolean once,
      @Mixin ServerOptions options) // last: picocli counts the options that are added to it
      throws IOException, InterruptedException {
    try (Running running = start(options)) {
      NereidServer server = running.server();
      boolean good = new Demo(server.httpPort(), server.grpcPort(), samples).run(System.out);
      if (!once && good) {
        if (options.http().console().isPresent()) {
          System.out.printf(
              "Draw a digit, and see what the server does: http://localhost:%d/console/%n",
              server.httpPort());
        }
        running.shutdown().await();
      }
      return good ? 0 : 1;
    }
  }

  @Command(
      name = "train",
      description = "Serves the example models, sends them requests, and exits: for an AOT cache.",
      hidden = true)
  int train(@Mixin ServerOptions options) throws IOException, InterruptedException {
    try (Running running = start(options)) {
      NereidServer server = running.server();
      return Training.run(server.httpPort(), server.metricsPort(), server.grpcPort());
    }
  }
}
