package io.nereid.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.nereid.server.TckServers;
import io.nereid.tck.RuleCatalog;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.TckModels;
import io.nereid.tck.command.TckCommand;
import io.nereid.tck.suite.ServerSuite;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Polling;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each fault of a server is seen by the rule of the table in {@code docs/tck-faults.md}: the rule
 * passes on a good server behind the proxies, and fails on one with the fault. The build runs a
 * fraction, {@code make server-faults} all of them.
 */
class PlantedServerFaultsTest {
  private static final String EVERY_PROPERTY = "nereid.server.faults.every";

  /** One of so many faults is run by the build. */
  private static final int EVERY = Integer.getInteger(EVERY_PROPERTY, 15);

  /** A regular expression that the ids of the rules match that are run. */
  private static final String ONLY = System.getProperty("nereid.server.faults.only", ".*");

  /** How long a rule waits for what a server with a fault never does. */
  private static final String WAIT_MILLIS = "3000";

  /** A rule that fails leaves sequences and streams open, whose end a server would wait for. */
  private static final TckServers SERVERS = new TckServers("--exit-timeout-secs=0");

  @TempDir private Path folder = Path.of("");

  private static List<Fault> chosen() {
    List<Fault> all = Fault.all();
    return IntStream.range(0, all.size())
        .filter(i -> i % EVERY == 0)
        .mapToObj(all::get)
        .filter(fault -> fault.rule().matches(ONLY))
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> theRuleOfTheTableSeesTheFault() {
    return chosen().stream()
        .map(fault -> dynamicTest(fault.rule() + " " + fault.sentence(), () -> requireSeen(fault)));
  }

  private void requireSeen(Fault fault) throws IOException {
    System.setProperty(Polling.WAIT_PROPERTY, WAIT_MILLIS);
    Map<String, String> verdicts;
    try {
      verdicts = verdicts(new FaultyServers(SERVERS, fault), "--rule=" + fault.rule());
    } finally {
      System.clearProperty(Polling.WAIT_PROPERTY);
    }
    String results = results();
    assertThat(results).doesNotContain(GrpcFaultCall.IMPOSSIBLE);
    assertThat(verdicts)
        .as("the rule that sees: %s; %s", fault.sentence(), results)
        .containsExactly(Map.entry(fault.rule(), "failed"));
  }

  @Test
  void theRulesPassBehindProxiesWithoutAFault() throws IOException {
    String rules = chosen().stream().map(Fault::rule).distinct().collect(Collectors.joining(","));

    var verdicts = verdicts(new FaultyServers(SERVERS, Fault.NONE), "--rule=" + rules);

    assertThat(verdicts).as(results()).isNotEmpty();
    assertThat(verdicts.values()).as(results()).containsOnly("passed");
  }

  /** All rules of servers, asked of a server that runs: by its own addresses, and the proxies'. */
  @Test
  @EnabledIfSystemProperty(named = EVERY_PROPERTY, matches = "1")
  void proxiesWithoutAFaultChangeNoVerdict() throws IOException {
    var models = Files.createDirectory(folder.resolve("models"));
    TckModels.extractTo(models);
    Map<String, String> own;
    try (ServerUnderTest server = SERVERS.startServer(models)) {
      own = verdictsByUrl(server);
    }
    try (ServerUnderTest server =
        FaultyServers.behindProxies(SERVERS.startServer(models), Fault.NONE)) {
      assertThat(verdictsByUrl(server)).as(results()).isEqualTo(own).containsValue("passed");
    }
  }

  private Map<String, String> verdictsByUrl(ServerUnderTest server) throws IOException {
    var out = new StringWriter();
    var printer = new PrintWriter(out, true);
    int status =
        TckCommand.run(
            printer,
            printer,
            "--url=" + server.http(),
            "--grpc-url=" + server.grpcHost() + ":" + server.grpcPort(),
            "--metrics-url=" + server.metrics().orElseThrow(),
            "--output=" + folder);
    assertThat(status).as(out.toString()).isZero();
    return verdicts();
  }

  /** What comes of a run on servers that it starts, by rule. */
  private Map<String, String> verdicts(ServerFactory servers, String rules) throws IOException {
    var out = new StringWriter();
    var printer = new PrintWriter(out, true);
    int status = TckCommand.run(servers, printer, printer, rules, "--output=" + folder);
    assertThat(status).as(out.toString()).isIn(0, 1);
    return verdicts();
  }

  private String results() throws IOException {
    return Files.readString(folder.resolve("results.json"));
  }

  private Map<String, String> verdicts() throws IOException {
    Map<String, String> verdicts = new TreeMap<>();
    for (Object rule :
        Json.list(Json.parse(Files.readAllBytes(folder.resolve("results.json"))), "rules")) {
      verdicts.put((String) Json.member(rule, "id"), (String) Json.member(rule, "verdict"));
    }
    return verdicts;
  }

  @Test
  void eachRuleThatAServerIsAskedHasAFault() {
    assertThat(Fault.all())
        .extracting(Fault::rule)
        .containsAll(RuleCatalog.rulesOf(ServerSuite.class));
    assertThat(Fault.all()).extracting(Fault::sentence).doesNotHaveDuplicates();
  }
}
