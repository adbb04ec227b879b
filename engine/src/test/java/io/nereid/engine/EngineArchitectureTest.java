package io.nereid.engine;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.nereid.engine.call.RequestCalls;
import io.nereid.engine.model.config.validation.ModelConfigValidator;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.telemetry.jfr.ModelLoadEvent;
import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.engine.testing.PackageRules;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The dependencies between the packages of the engine, as {@code docs/architecture.md} draws them.
 * A new dependency is a decision: state it here.
 */
class EngineArchitectureTest {
  private static final String ROOT = "io.nereid.engine";
  private static final PackageRules RULES = PackageRules.of(ROOT, "/engine/target/");

  /**
   * A line for each package: its name below {@code io.nereid.engine}, and the packages of the
   * engine that it depends on. The contract with backends and generated messages are left out.
   */
  private static final String DEPENDENCIES =
      """
      thread
      file
      telemetry
      telemetry.trace           <- telemetry
      telemetry.trace.file      <- file telemetry.trace thread
      plugin
      plugin.slf4j
      telemetry.trace.export    <- plugin telemetry.trace
      telemetry.refusal
      memory                    <- telemetry.refusal
      memory.region             <- memory
      telemetry.jfr
      request                   <- memory memory.region telemetry telemetry.jfr telemetry.trace
      backend                   <- memory plugin thread
      call                      <- memory request thread
      telemetry.statistics.latency
      telemetry.statistics      <- telemetry.statistics.latency
      request.validation        <- request
      cache                     <- memory plugin request telemetry.statistics
      scheduling.policy         <- request
      scheduling.policy.dynamic <- request scheduling.policy
      scheduling.policy.sequence <- request scheduling.policy
      execution.sequence        <- memory request
      execution.ratelimit
      execution.affinity
      execution.output          <- request
      execution.warmup          <- memory request request.validation
      execution.batch           <- call execution.output execution.sequence memory request \
                                   telemetry.jfr telemetry.statistics telemetry.trace thread
      execution                 <- execution.affinity execution.batch execution.ratelimit \
                                   execution.sequence execution.warmup request telemetry.jfr \
                                   telemetry.statistics thread
      scheduling                <- execution execution.batch execution.sequence request \
                                   scheduling.policy scheduling.policy.dynamic \
                                   scheduling.policy.sequence telemetry.jfr \
                                   telemetry.statistics thread
      model.repository.cache    <- file
      model.repository          <- file model.repository.cache plugin
      model.config.conversion
      model.config.text
      model.config.validation   <- model.config.conversion model.config.text
      model.config              <- file model.config.conversion model.config.text \
                                   model.config.validation model.repository
      scheduling.ensemble.graph
      scheduling.ensemble       <- call memory request scheduling scheduling.ensemble.graph \
                                   scheduling.policy telemetry.statistics telemetry.trace
      model                     <- cache call memory model.config model.config.conversion \
                                   request request.validation scheduling telemetry.jfr \
                                   telemetry.statistics
      utilization               <- model model.config scheduling telemetry.statistics thread
      model.loading             <- backend cache call execution execution.batch \
                                   execution.ratelimit execution.warmup memory model \
                                   model.config model.config.text model.config.validation \
                                   model.repository request scheduling scheduling.ensemble \
                                   scheduling.ensemble.graph scheduling.policy \
                                   telemetry.statistics telemetry.statistics.latency thread
      model.control.operation   <- memory model model.config model.loading model.repository \
                                   scheduling telemetry.jfr telemetry.statistics thread
      model.control             <- memory model model.config model.control.operation model.loading \
                                   model.repository telemetry.jfr telemetry.statistics thread
      scheduling.journal        <- file request scheduling scheduling.policy thread
      scheduling.journal.replay <- request scheduling scheduling.journal scheduling.policy
      model.lint                <- backend execution.warmup file memory model model.config \
                                   model.config.conversion model.config.text \
                                   model.config.validation model.loading model.repository \
                                   scheduling scheduling.ensemble.graph thread
      admission                 <- cache memory model request request.validation scheduling \
                                   telemetry.statistics telemetry.trace
      """;

  @Test
  void packagesDependOnTheseOthersAndNoMore() {
    RULES.assertDependencies(DEPENDENCIES);
  }

  @Test
  void theMapInTheDocumentationHasEveryPackage() throws IOException {
    RULES.assertDescribed(
        Path.of("../docs/architecture.md"), "Packages of the engine, below `io.nereid.engine`");
  }

  @Test
  void packagesHaveNoCycles() {
    RULES.assertNoCycles();
  }

  @Test
  void everyPackageSaysWhatItIsFor() {
    RULES.assertPackageInfo();
  }

  @Test
  void noPackageDependsOnTheEntryPoint() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT)
        .check(RULES.classes());
  }

  @ParameterizedTest
  @CsvSource({
    "com.google.protobuf..,execution.warmup model.config model.control.operation model.loading"
        + " model.lint protobuf scheduling.journal",
    "com.lmax..,scheduling",
    "jdk.jfr..,telemetry.jfr",
    "java.net.http..,''"
  })
  void onlyThesePackagesUseALibrary(String library, String packages) {
    RULES.assertOnlyTheseUse(library, packages);
  }

  @Test
  void onlyTwoPackagesCallNativeCode() {
    RULES.assertOnlyTheseCallNativeCode("execution.affinity memory");
  }

  @Test
  void nothingEndsTheProcess() {
    noClasses()
        .should()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .callMethod(Runtime.class, "halt", int.class)
        .orShould()
        .callMethod(Runtime.class, "addShutdownHook", Thread.class)
        .check(RULES.classes());
  }

  /** So validation, and all else that every request needs, has one place. */
  @Test
  void onlyTheEntryPointPassesRequestsToSchedulers() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".admission")
        .should()
        .callMethodWhere(target(owner(assignableTo(Scheduler.class))).and(target(name("submit"))))
        .check(RULES.classes());
  }

  /**
   * A request extends its ticket, so that there is one object for both. The statistics of an
   * instance are sealed: those that several threads write add a lock, which an instance has not.
   * Rules of configurations share how they are reported, events of Flight Recorder their first
   * fields, which it finds by inheritance only.
   */
  @Test
  void onlyTheseClassesCanBeInherited() {
    RULES.assertFinal(
        Ticket.class,
        InstanceStatistics.class,
        RequestCalls.class,
        ModelConfigValidator.class.getSuperclass(),
        ModelLoadEvent.class.getSuperclass());
  }
}
