package io.nereid.tck.command;

import io.nereid.tck.RuleCatalog.Entry;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.command.report.JUnitReport;
import io.nereid.tck.command.report.JsonReport;
import io.nereid.tck.command.report.Page;
import io.nereid.tck.command.report.RunReport;
import io.nereid.tck.command.report.VerdictTable;
import io.nereid.tck.command.tested.ModelSuite;
import io.nereid.tck.command.tested.Tested;
import io.nereid.tck.command.tested.TestedBackendOptions;
import io.nereid.tck.command.tested.TestedServerOptions;
import io.nereid.tck.command.tested.WrongArgument;
import io.nereid.tck.suite.ServerSuite;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.logging.LogManager;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code tck}: verifies a server of the v2 protocol, or a backend, rule by rule. */
@Command(
    name = "tck",
    description = {
      "Verifies a server of the v2 protocol (Open Inference Protocol, with Triton's extensions), or"
          + " a backend, rule by rule, and writes a report.",
      "Exits with 0 if no required rule failed and one passed, 1 otherwise, 2 if an argument is wrong,"
          + " the server does not answer, or a model does not load. If only optional rules are"
          + " chosen, they decide."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TckCommand.Version.class,
    subcommands = {ModelsCommand.class, CompareCommand.class})
public final class TckCommand implements Callable<Integer> {
  /** The kit's version. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"nereid-tck " + SuiteRun.version()};
    }
  }

  @Spec private @Nullable CommandSpec spec;

  @Mixin private TestedServerOptions server = new TestedServerOptions();

  @Mixin private TestedBackendOptions backend = new TestedBackendOptions();

  @Mixin private RuleSelection selection = new RuleSelection();

  @Option(names = "--list", description = "Prints the rules that are chosen, and verifies nothing.")
  private boolean list;

  @Option(
      names = "--strict",
      description = "A required rule that is skipped counts as one that failed.")
  private boolean strict;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "<folder>",
      defaultValue = "tck-report",
      description =
          "Where report.html, results.json and junit.xml are written. Default:"
              + " ${DEFAULT-VALUE}.")
  private Path output = Path.of("");

  /** Servers that the calling program starts; absent on a command line. */
  private final @Nullable ServerFactory servers;

  private TckCommand(@Nullable ServerFactory servers) {
    this.servers = servers;
  }

  /** Runs the command and exits with its status. */
  public static void main(String... arguments) {
    Locale.setDefault(Locale.ROOT);
    System.setProperty("net.bytebuddy.safe", "true"); // of AssertJ: else the JVM warns of it
    LogManager.getLogManager().reset(); // libraries have nothing to say that a result does not
    var out = new PrintWriter(System.out, true, System.out.charset());
    var err = new PrintWriter(System.err, true, System.err.charset());
    System.exit(run(out, err, arguments));
  }

  /**
   * Runs the command and returns the status to exit with.
   *
   * @param out what it has to say
   * @param err what is wrong with the arguments
   */
  public static int run(PrintWriter out, PrintWriter err, String... arguments) {
    return run(new TckCommand(null), out, err, arguments);
  }

  /**
   * Runs the command, without {@code --url} and {@code --server}, on servers that the calling
   * program starts, and returns the status.
   *
   * @param out what it has to say
   * @param err what is wrong with the arguments
   */
  public static int run(
      ServerFactory servers, PrintWriter out, PrintWriter err, String... arguments) {
    return run(new TckCommand(servers), out, err, arguments);
  }

  private static int run(
      TckCommand command, PrintWriter out, PrintWriter err, String... arguments) {
    return new CommandLine(command)
        .setOut(out)
        .setErr(err)
        .setParameterExceptionHandler(TckCommand::refuse)
        .setExecutionExceptionHandler((failure, line, _) -> refuse(failure, line))
        .setAllowSubcommandsAsOptionParameters(true) // --models models
        .execute(arguments);
  }

  private static int refuse(ParameterException wrong, String... arguments) {
    return refuse(wrong, wrong.getCommandLine());
  }

  private static int refuse(Exception failure, CommandLine line) {
    boolean isTold = failure instanceof WrongArgument || failure instanceof ParameterException;
    line.getErr().println("tck: " + (isTold ? failure.getMessage() : failure));
    line.getErr().println("'tck --help' lists the options.");
    return TckStatus.WRONG_ARGUMENT;
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    List<Entry> rules =
        backend.isGiven()
            ? selection.choose(SuiteRun.rules(ModelSuite.class), "backends")
            : selection.choose(SuiteRun.rules(ServerSuite.class), "servers");
    if (list) {
      for (Entry rule : rules) {
        String level = rule.level().name().toLowerCase(Locale.ROOT);
        out.printf("%-22s %-8s  %s%n", rule.id(), level, rule.sentence());
      }
      return TckStatus.CONFORMS;
    }
    Tested tested = tested();
    Files.createDirectories(output);
    out.printf("%d rules, %s%n", rules.size(), tested.identity().address());
    var progress = new Progress(out, isTerminal(), System::nanoTime, rules);
    RunReport report = SuiteRun.run(rules, tested, progress);
    progress.end();
    write(report);
    out.printf("%n%s%n%s%n", VerdictTable.of(report), report.sentence());
    out.println("The report is " + output.resolve("report.html"));
    boolean isEnough = report.conforms() && (!strict || report.undecided() == 0);
    return isEnough ? TckStatus.CONFORMS : TckStatus.DOES_NOT_CONFORM;
  }

  private Tested tested() {
    if (backend.isGiven()) {
      if (!server.address().isBlank()) {
        throw new WrongArgument(
            "--backend is verified without a server: leave out --url and --server");
      }
      return backend.open();
    }
    return servers == null ? server.open(output.resolve("server.log")) : server.open(servers);
  }

  @SuppressWarnings("SystemConsoleNull") // with JDK 25 it is null again
  private static boolean isTerminal() {
    return System.console() != null && System.console().isTerminal();
  }

  private void write(RunReport report) throws IOException {
    String json = JsonReport.of(report);
    Files.writeString(output.resolve("results.json"), json);
    Files.writeString(output.resolve("report.html"), Page.ofRun(json));
    Files.writeString(output.resolve("junit.xml"), JUnitReport.of(report));
  }
}
