package io.nereid.tck.command.tested;

import io.nereid.tck.ModelControlMode;
import io.nereid.tck.RuleCatalog;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.TckModels;
import io.nereid.tck.command.report.CaseResult;
import io.nereid.tck.command.report.ReportedServer;
import io.nereid.tck.command.report.Verdict;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.WireLog;
import io.nereid.tck.support.WireMessage;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * The servers of a run: keeps what tests send and receive, and knows which of the kit's models the
 * current server lacks, so that what was asked of them does not count. One that is started is
 * shared by all tests that do not count from 0. One thread starts them.
 */
final class TestedServers implements ServerFactory, Tested {
  private final ServerFactory delegate;
  private final String address;
  private final WireLog log = WireLog.keeping(message -> missingModel(List.of(message)));
  private volatile Map<String, String> missing = Map.of(); // the log reads it, on any thread
  private @Nullable ServerUnderTest shared;
  private @Nullable ReportedServer identity;

  /** Servers of a factory; {@code address} names them in reports. */
  TestedServers(ServerFactory delegate, String address) {
    this.delegate = delegate;
    this.address = address;
  }

  @Override
  public ServerUnderTest startServer(Path modelRepository) throws Exception {
    return tested(delegate.startServer(modelRepository));
  }

  /** The same server for all who ask, as long as it answers; then another one. */
  @Override
  public ServerUnderTest startShared(Path modelRepository) throws Exception {
    ServerUnderTest running = shared;
    if (running != null) {
      try {
        return tested(running.shared());
      } catch (TestAbortedException gone) {
        stopShared();
      }
    }
    TckModels.extractTo(modelRepository);
    ServerUnderTest started = delegate.startServer(modelRepository);
    shared = started;
    return tested(started.shared());
  }

  /** Stops the server of {@link #startShared}, if there is one. */
  void stopShared() {
    ServerUnderTest running = shared;
    shared = null;
    if (running != null) {
      running.close();
    }
  }

  private ServerUnderTest tested(ServerUnderTest server) {
    try {
      missing = missingOf(server);
    } catch (UncheckedIOException gone) { // it has answered before, or its start would have failed
      server.close();
      throw new TestAbortedException("the server has stopped to answer during a rule before");
    }
    return identified(server).withLog(log);
  }

  @Override
  public Optional<ServerUnderTest> startServer(
      ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
      throws Exception {
    var server = delegate.startServer(mode, modelRepositories, startupModels);
    if (server.isPresent()) {
      missing = Map.of(); // the tests say what it loads
    }
    return server.map(started -> identified(started).withLog(log));
  }

  private ServerUnderTest identified(ServerUnderTest server) {
    if (identity == null) {
      identity = identityOf(server);
    }
    return server;
  }

  @Override
  public ReportedServer identity() {
    return Objects.requireNonNullElseGet(
        identity, () -> new ReportedServer("", "", List.of(), address));
  }

  @Override
  public void run(Consumer<Class<?>> junit) {
    ScopedValue.where(CommandSuite.SERVERS, this).run(() -> junit.accept(CommandSuite.class));
  }

  /** A case is skipped if the server does not report the rule's extension. */
  @Override
  public CaseResult counted(String rule, CaseResult result) {
    ReportedServer reported = identity;
    return RuleCatalog.extensionOf(rule)
        .filter(_ -> result.verdict() != Verdict.SKIPPED)
        .filter(extension -> reported != null && !reported.extensions().contains(extension))
        .map(extension ->
            CaseResult.skipped(
                result.name(),
                "the server does not report the extension '%s'".formatted(extension)))
        .orElse(result);
  }

  @Override
  public List<WireMessage> takeMessages() {
    return log.take();
  }

  @Override
  public Optional<String> missingModel(List<WireMessage> messages) {
    return messages.stream()
        .map(message ->
            message.model().equals(WireMessage.ALL_MODELS)
                ? missing.values().stream().findFirst().orElse("")
                : missing.getOrDefault(message.model(), ""))
        .filter(reason -> !reason.isEmpty())
        .findFirst();
  }

  private static Map<String, String> missingOf(ServerUnderTest server) {
    Map<String, String> missing = new LinkedHashMap<>();
    try (var wire = server.connect()) {
      for (String model : TckModels.names()) {
        String path = "/v2/models/" + model;
        int ready = status(wire, path + "/ready");
        if (ready != 200 && status(wire, path) != 200) {
          missing.put(model, "the server has no model '%s': %d to ready".formatted(model, ready));
        }
      }
    }
    return missing;
  }

  private static int status(HttpWire wire, String target) {
    return wire.send("GET", target, new byte[0], Map.of()).status();
  }

  private ReportedServer identityOf(ServerUnderTest server) {
    try (var wire = server.connect()) {
      var metadata = Json.object(wire.send("GET", "/v2", new byte[0], Map.of()).body());
      List<String> extensions =
          metadata.get("extensions") instanceof List<?> list
              ? list.stream().map(Object::toString).toList()
              : List.of();
      return new ReportedServer(
          Objects.toString(metadata.get("name"), ""),
          Objects.toString(metadata.get("version"), ""),
          extensions,
          address);
    } catch (AssertionError | UncheckedIOException none) {
      return new ReportedServer("", "", List.of(), address); // rules tell what is wrong with it
    }
  }
}
