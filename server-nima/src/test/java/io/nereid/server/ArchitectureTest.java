package io.nereid.server;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.testing.PackageRules;
import io.nereid.server.options.ServerOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The dependencies between the packages of the server, as {@code docs/architecture.md} draws them.
 * A new dependency is a decision: state it here.
 */
class ArchitectureTest {
  private static final String ROOT = "io.nereid.server";
  private static final PackageRules RULES =
      PackageRules.of(ROOT, "/server-nima", "io.nereid.engine");

  /**
   * A line for each package: its name below {@code io.nereid.server}, and the packages of the
   * server and of the engine that it depends on. The contract with backends and generated messages
   * are left out.
   */
  private static final String DEPENDENCIES =
      """
      telemetry.logging         <- engine.file engine.model.control engine.plugin engine.telemetry
      telemetry.access          <- engine.telemetry engine.telemetry.refusal engine.thread \
                                   telemetry.logging
      security                  <- engine.thread
      codec                     <- engine.memory engine.memory.region engine.request
      codec.json.document       <- codec
      codec.json                <- codec codec.json.document engine.memory engine.memory.region \
                                   engine.request
      codec.json.text           <- codec codec.json codec.json.document engine.memory \
                                   engine.request
      codec.json.control        <- codec.json.document engine.model.control \
                                   engine.telemetry.trace telemetry.logging
      metrics.exposition
      metrics.gpu               <- engine.thread metrics.exposition
      frontend                  <- codec codec.protobuf engine.admission engine.memory \
                                   engine.memory.region engine.model engine.model.control \
                                   engine.plugin engine.request engine.telemetry \
                                   engine.utilization engine.telemetry.trace \
                                   telemetry.access \
                                   telemetry.logging
      command
      doctor                    <- engine.backend engine.cache engine.memory \
                                   engine.model.config engine.model.control engine.model.lint \
                                   engine.model.repository engine.plugin \
                                   engine.scheduling.journal engine.telemetry.trace \
                                   engine.telemetry.trace.export frontend metrics.gpu options \
                                   options.frontend security telemetry.logging
      http.limits               <- engine.telemetry.refusal
      http.message
      http.connection           <- codec codec.json engine.memory engine.request \
                                   engine.telemetry.refusal engine.thread frontend http.limits \
                                   http.message security telemetry.access
      http.route                <- codec codec.json codec.json.text engine.memory.region http.connection \
                                   security
      http.body                 <- codec codec.json engine.memory http.connection http.message
      http.inference            <- codec codec.json engine.admission engine.memory \
                                   engine.memory.region engine.model engine.request \
                                   engine.telemetry.refusal engine.telemetry.trace frontend \
                                   http.body http.connection http.limits http.message http.route \
                                   security
      http.control              <- codec codec.json.control codec.protobuf engine.admission \
                                   engine.memory engine.memory.region engine.model \
                                   engine.model.control engine.telemetry.trace frontend \
                                   http.body http.connection http.route telemetry.logging
      http.text                 <- codec codec.json codec.json.text engine.admission \
                                   engine.memory engine.model engine.request \
                                   engine.telemetry.trace frontend http.body http.connection \
                                   http.inference http.route security
      http.console              <- codec codec.json.control engine.admission engine.model \
                                   engine.model.config engine.model.config.text \
                                   engine.model.control engine.model.lint \
                                   engine.scheduling.journal engine.scheduling.journal.replay \
                                   engine.scheduling.policy engine.telemetry.statistics \
                                   engine.telemetry.statistics.latency \
                                   engine.telemetry.trace frontend http.connection http.route \
                                   telemetry.logging
      http                      <- codec codec.json engine.memory engine.request \
                                   engine.telemetry.refusal frontend http.body http.connection \
                                   http.console http.control http.inference http.limits \
                                   http.message \
                                   http.route http.text security telemetry.access
      grpc.limits               <- engine.memory engine.telemetry.refusal
      grpc.connection           <- engine.memory engine.telemetry.refusal frontend grpc.limits
      codec.protobuf            <- codec engine.memory engine.memory.region engine.request \
                                   engine.utilization \
                                   engine.telemetry.statistics engine.telemetry.trace \
                                   telemetry.logging
      grpc.message              <- codec codec.protobuf engine.memory engine.request \
                                   engine.telemetry.refusal grpc.limits
      grpc.call                 <- codec codec.protobuf engine.memory engine.memory.region \
                                   engine.request frontend grpc.connection grpc.limits \
                                   grpc.message security telemetry.access
      grpc.inference            <- codec.protobuf engine.admission engine.memory engine.model \
                                   engine.request engine.telemetry.trace frontend grpc.call \
                                   grpc.connection grpc.limits grpc.message telemetry.access
      grpc.control              <- codec.protobuf engine.admission engine.memory \
                                   engine.memory.region engine.model engine.model.control \
                                   engine.request engine.telemetry.statistics \
                                   engine.telemetry.trace engine.thread engine.utilization \
                                   frontend grpc.call grpc.limits telemetry.logging
      grpc                      <- codec codec.protobuf engine.admission engine.memory \
                                   engine.model frontend grpc.call grpc.connection grpc.control \
                                   grpc.inference grpc.limits grpc.message security \
                                   telemetry.access
      metrics                   <- engine.cache engine.memory engine.telemetry.refusal \
                                   engine.telemetry.statistics \
                                   engine.telemetry.statistics.latency engine.telemetry.trace \
                                   grpc.connection http.connection http.limits \
                                   metrics.exposition metrics.gpu security telemetry.access
      process                   <- grpc.limits http.limits
      options.triton
      options.declaration       <- codec engine.model frontend
      options.frontend          <- codec engine.model.loading frontend grpc grpc.limits \
                                   grpc.message http http.console http.limits http.message metrics \
                                   options.declaration security
      options                   <- codec engine.execution engine.execution.affinity \
                                   engine.execution.ratelimit \
                                   engine.memory engine.model engine.model.config \
                                   engine.model.config.text \
                                   engine.model.config.validation engine.model.control \
                                   engine.model.control.operation \
                                   engine.model.repository engine.plugin \
                                   engine.scheduling.journal engine.scheduling.policy \
                                   engine.telemetry engine.telemetry.trace frontend http.console \
                                   options.declaration options.frontend options.triton security \
                                   telemetry.logging
      warmup                    <- frontend grpc http http.connection security
      """;

  @Test
  void packagesDependOnTheseOthersAndNoMore() {
    RULES.assertDependencies(DEPENDENCIES);
  }

  @Test
  void theMapInTheDocumentationHasEveryPackage() throws IOException {
    RULES.assertDescribed(
        Path.of("../docs/architecture.md"), "Packages of the server, below `io.nereid.server`");
  }

  /** The packages without a name of their own: the composition root and its clients. */
  @Test
  void nothingDependsOnTheCompositionRoot() {
    noClasses()
        .that()
        .resideOutsideOfPackages(ROOT, "io.nereid.demo", "io.nereid.training")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ROOT, "io.nereid.demo", "io.nereid.training")
        .check(RULES.classes());
  }

  @Test
  void packagesHaveNoCycles() {
    RULES.assertNoCycles();
  }

  @Test
  void everyPackageSaysWhatItIsFor() {
    RULES.assertPackageInfo();
  }

  @ParameterizedTest
  @CsvSource({
    "io.helidon..,http.connection",
    "io.grpc..,grpc protobuf",
    "com.google.protobuf..,codec.json.control codec.protobuf frontend grpc metrics.exposition"
        + " protobuf warmup",
    "com.google.gson..,codec.json http.console",
    "com.lmax..,''",
    "picocli..,options",
    "jdk.jfr..,''",
    "java.net.http..,''"
  })
  void onlyThesePackagesUseALibrary(String library, String packages) {
    RULES.assertOnlyTheseUse(library, packages);
  }

  @Test
  void onlyTwoPackagesCallNativeCode() {
    RULES.assertOnlyTheseCallNativeCode("metrics.gpu process");
  }

  @Test
  void onlyTheCommandLineEndsTheProcess() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT)
        .should()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .callMethod(Runtime.class, "halt", int.class)
        .check(RULES.classes());
  }

  @Test
  void onlyTheEnginePassesRequestsToSchedulers() {
    noClasses()
        .should()
        .callMethodWhere(target(owner(assignableTo(Scheduler.class))).and(target(name("submit"))))
        .check(RULES.classes());
  }

  @Test
  void noClassCanBeInherited() {
    RULES.assertFinal(ServerOptions.class.getSuperclass()); // OptionGroup, by groups of options
  }
}
