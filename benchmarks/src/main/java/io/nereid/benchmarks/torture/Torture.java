package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.CommandLines;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Scale;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.LaunchOptions;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of the attacks. The exit status is 0, 1 if the server did not hold, or 2 if the
 * arguments are invalid.
 */
@Command(
    name = "torture",
    sortOptions = false,
    description = "Attacks a server of the v2 protocol, with good requests beside each attack.",
    footer = {
      "",
      "A server is started for each attack, or an existing one is attacked at its addresses; it needs the models",
      "simple, identity_fp32 and identity_bytes of examples/models, copies of simple named delayed and sequence with",
      "a queue's delay and with sequences, and --model-control-mode=explicit.",
      "",
      "Example: torture --server ./nereid --attack rapid-reset --settle 5",
    })
public final class Torture implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;

  /** How long connections stay that wait for the server. */
  private static final Duration HOLD = Duration.ofSeconds(30);

  /** Good requests before each attack. */
  private static final Duration WARM_UP = Duration.ofSeconds(5);

  /** The resident memory above which the server is killed. */
  private static final long MAX_MEBIBYTES = 6_144;

  @Spec private @Nullable CommandSpec spec;

  @Mixin
  private final LaunchOptions launch =
      new LaunchOptions("torture", "-Xms512m -Xmx512m -XX:+AlwaysPreTouch");

  @ArgGroup(exclusive = false)
  private @Nullable Existing existing;

  /** The addresses of a server that runs. */
  static final class Existing {
    @Option(
        names = "--http",
        required = true,
        paramLabel = "HOST:PORT",
        description = "The server to attack: its HTTP address.")
    private InetSocketAddress http = InetSocketAddress.createUnresolved("", 0);

    @Option(
        names = "--grpc",
        required = true,
        paramLabel = "HOST:PORT",
        description = "Its gRPC address.")
    private InetSocketAddress grpc = InetSocketAddress.createUnresolved("", 0);

    @Option(names = "--metrics", paramLabel = "HOST:PORT", description = "Its metrics.")
    private @Nullable InetSocketAddress metrics;

    @Option(names = "--pid", paramLabel = "PID", description = "Its process, to report its memory.")
    private long pid;

    Target target() {
      return new Target(http, grpc, Optional.ofNullable(metrics), pid);
    }
  }

  @Option(
      names = "--attack",
      paramLabel = "NAME",
      description = "An attack; repeatable; all without it.")
  private List<String> names = List.of();

  @Option(names = "--list", description = "Print the attacks and end.")
  private boolean list;

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long memory and leases may take to be back: ${DEFAULT-VALUE}.")
  private double settle;

  @Option(
      names = "--share",
      paramLabel = "SHARE",
      defaultValue = "1",
      description = "Share of the numbers and sizes of each attack: ${DEFAULT-VALUE}.")
  private double share;

  public static void main(String[] arguments) {
    System.exit(
        CommandLines.of(new Torture())
            .registerConverter(InetSocketAddress.class, new AddressConverter())
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var commandLine = Objects.requireNonNull(spec).commandLine();
    PrintWriter out = commandLine.getOut();
    List<Attack> attacks = attacks(commandLine);
    if (list) {
      attacks.forEach(attack -> out.println(attack.name() + ": " + attack.summary()));
      return 0;
    }
    var bounds = new Bounds(100, 0.1, launch.heapGrowthMebibytes(), 100);
    var settling = Duration.ofNanos((long) (settle * NANOS_PER_SECOND));
    var campaign = new Campaign(new Scale(share, HOLD), bounds, WARM_UP, settling, MAX_MEBIBYTES);
    ServerLauncher launcher = launch.launcher();
    out.println(ResultTable.header());
    int failed = 0;
    for (Attack attack : attacks) {
      failed += run(attack, campaign, launcher, out) ? 0 : 1;
    }
    out.println(
        "%d of %d attacks broke a bound; logs: %s"
            .formatted(failed, attacks.size(), launcher.logs()));
    return failed == 0 ? 0 : 1;
  }

  /** Runs an attack and prints its row; returns whether the server held. */
  private boolean run(Attack attack, Campaign campaign, ServerLauncher launcher, PrintWriter out)
      throws InterruptedException {
    try {
      AttackReport report;
      if (existing == null) {
        report = campaign.run(attack, launcher);
      } else if (attack.startsServers()) {
        return true;
      } else {
        var scene = new Scene(existing.target(), campaign.scale(), Optional.empty());
        report = campaign.run(attack, scene);
      }
      out.println(ResultTable.row(report));
      List<String> violations = campaign.bounds().violations(report);
      violations.forEach(violation -> out.println("  " + attack.name() + ": " + violation));
      return violations.isEmpty();
    } catch (IOException e) {
      out.println("  " + attack.name() + ": " + e);
      return false;
    }
  }

  private List<Attack> attacks(CommandLine commandLine) {
    for (String name : names) {
      if (Attacks.all().stream().noneMatch(attack -> attack.name().equals(name))) {
        throw new ParameterException(commandLine, "no attack '%s'; see --list".formatted(name));
      }
    }
    return Attacks.all().stream()
        .filter(attack -> names.isEmpty() || names.contains(attack.name()))
        .toList();
  }

  /** Reads {@code host:port}. */
  private static final class AddressConverter implements ITypeConverter<InetSocketAddress> {
    @Override
    public InetSocketAddress convert(String value) {
      int colon = value.lastIndexOf(':');
      if (colon < 0 || !value.substring(colon + 1).matches("\\d{1,5}")) {
        throw new CommandLine.TypeConversionException("'%s' is not host:port".formatted(value));
      }
      return new InetSocketAddress(
          value.substring(0, colon), Integer.parseInt(value.substring(colon + 1)));
    }
  }
}
