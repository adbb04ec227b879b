package io.nereid.server;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.Scheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The dependencies between packages, as {@code docs/architecture.md} draws them. A new dependency
 * is a decision: state it here.
 */
class ArchitectureTest {
  private static final String ROOT = "io.nereid.server";

  private static final JavaClasses SERVER =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> location.contains("/server-nima"))
          .importPackages("io.nereid");

  /**
   * A line for each package: its name below {@code io.nereid.server}, and the packages of the
   * server that it depends on. The contract with backends and the generated messages are left out.
   */
  private static final String DEPENDENCIES =
      """
      thread
      file
      telemetry
      telemetry.logging         <- file telemetry
      telemetry.trace           <- telemetry
      telemetry.trace.file      <- file telemetry.trace thread
      plugin
      telemetry.trace.export    <- plugin telemetry.trace
      telemetry.refusal
      memory                    <- telemetry.refusal
      memory.region             <- memory
      telemetry.jfr
      request                   <- memory memory.region telemetry telemetry.jfr telemetry.trace
      telemetry.access          <- telemetry telemetry.logging telemetry.refusal thread
      security                  <- thread
      backend                   <- plugin
      telemetry.statistics
      request.validation        <- request
      cache                     <- memory plugin request telemetry.statistics
      codec                     <- memory memory.region request
      codec.json.document       <- codec
      scheduling.policy         <- request
      scheduling.policy.sequence <- request scheduling.policy
      execution.sequence        <- memory request
      execution.ratelimit
      execution.affinity
      execution.output          <- request
      execution.warmup          <- memory request request.validation
      execution                 <- execution.affinity execution.output execution.ratelimit \
                                   execution.sequence execution.warmup memory request \
                                   telemetry.jfr telemetry.statistics telemetry.trace thread
      scheduling                <- execution execution.sequence request scheduling.policy \
                                   scheduling.policy.sequence telemetry.jfr telemetry.statistics \
                                   thread
      model.repository.cache
      model.repository          <- model.repository.cache plugin
      model.config.conversion
      model.config.text
      model.config              <- model.config.conversion model.config.text model.repository
      scheduling.ensemble.graph
      scheduling.ensemble       <- memory request scheduling scheduling.ensemble.graph \
                                   scheduling.policy telemetry.statistics telemetry.trace
      model                     <- cache memory model.config model.config.conversion \
                                   request.validation scheduling scheduling.ensemble \
                                   telemetry.jfr telemetry.statistics
      model.loading             <- backend cache execution execution.affinity \
                                   execution.ratelimit execution.warmup memory model \
                                   model.config model.repository plugin scheduling \
                                   scheduling.ensemble scheduling.ensemble.graph \
                                   scheduling.policy telemetry.statistics
      model.control             <- model model.config model.loading model.repository scheduling \
                                   telemetry.jfr telemetry.statistics thread
      codec.json                <- codec codec.json.document memory memory.region model.control \
                                   request telemetry.logging telemetry.statistics \
                                   telemetry.trace
      codec.protobuf            <- codec memory memory.region request telemetry.logging \
                                   telemetry.statistics telemetry.trace
      scheduling.journal        <- file request scheduling scheduling.policy thread
      scheduling.journal.replay <- request scheduling scheduling.journal scheduling.policy
      model.lint                <- backend execution.warmup memory model model.config \
                                   model.config.conversion model.config.text model.loading \
                                   model.repository plugin scheduling.ensemble.graph
      metrics.exposition
      metrics.gpu               <- metrics.exposition thread
      doctor                    <- backend metrics.gpu model.config model.lint model.repository
      engine                    <- cache memory model request request.validation scheduling \
                                   scheduling.ensemble telemetry.statistics telemetry.trace
      http.limits               <- memory telemetry.refusal
      http.message
      http.connection           <- codec codec.json http.limits http.message memory request \
                                   security telemetry telemetry.access telemetry.refusal thread
      frontend                  <- codec engine memory memory.region model model.control request \
                                   telemetry telemetry.access telemetry.logging telemetry.trace
      http                      <- codec codec.json engine frontend http.connection http.limits \
                                   http.message memory memory.region model model.control request \
                                   security telemetry.access telemetry.logging telemetry.refusal \
                                   telemetry.trace
      grpc.connection           <- memory telemetry.refusal
      grpc.message              <- codec codec.protobuf grpc.connection memory request \
                                   telemetry.refusal
      grpc                      <- codec codec.protobuf engine frontend grpc.connection \
                                   grpc.message memory memory.region model model.control request \
                                   security telemetry.access telemetry.logging \
                                   telemetry.statistics telemetry.trace thread
      metrics                   <- cache grpc.connection http.connection http.limits memory \
                                   metrics.exposition metrics.gpu security telemetry.access \
                                   telemetry.refusal telemetry.statistics telemetry.trace
      signal
      options.triton
      options                   <- codec execution.affinity execution.ratelimit grpc \
                                   grpc.connection grpc.message http http.limits http.message \
                                   memory metrics model.config model.control model.loading \
                                   model.repository options.triton security telemetry \
                                   telemetry.logging telemetry.trace
      warmup                    <- codec engine execution frontend grpc http http.connection \
                                   memory memory.region model model.config \
                                   model.config.conversion model.control model.loading \
                                   scheduling scheduling.policy security telemetry.statistics
      """;

  private static Map<String, Set<String>> stated() {
    return DEPENDENCIES
        .lines()
        .map(line -> line.strip().split("\\s+<-\\s+"))
        .collect(
            Collectors.toMap(
                sides -> sides[0],
                sides ->
                    sides.length == 1 ? Set.of() : new TreeSet<>(Set.of(sides[1].split("\\s+"))),
                (_, _) -> {
                  throw new IllegalStateException("a package is stated twice");
                },
                TreeMap::new));
  }

  /** {@code codec.json} for a class of that package; empty for a class that is not the server's. */
  private static String packageOf(JavaClass each) {
    String name = each.getBaseComponentType().getPackageName();
    boolean ours = name.startsWith(ROOT + ".") && !name.startsWith(ROOT + ".protobuf");
    return ours ? name.substring(ROOT.length() + 1) : "";
  }

  @Test
  void packagesDependOnTheseOthersAndNoMore() {
    Map<String, Set<String>> actual = new TreeMap<>();
    for (JavaClass each : SERVER) {
      String from = packageOf(each);
      if (!from.isEmpty()) {
        Set<String> targets = actual.computeIfAbsent(from, _ -> new TreeSet<>());
        each.getDirectDependenciesFromSelf().stream()
            .map(dependency -> packageOf(dependency.getTargetClass()))
            .filter(target -> !target.isEmpty() && !target.equals(from))
            .forEach(targets::add);
      }
    }

    assertThat(actual).isEqualTo(stated());
  }

  @Test
  void theMapInTheDocumentationHasEveryPackage() throws IOException {
    String page = Files.readString(Path.of("../docs/architecture.md"));
    String map = page.substring(page.indexOf("## The map"), page.indexOf("## One request's way"));

    assertThat(Pattern.compile("^\\| `([\\w.]+)` \\|", Pattern.MULTILINE).matcher(map).results())
        .extracting(row -> row.group(1))
        .containsExactlyInAnyOrderElementsOf(stated().keySet());
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
        .check(SERVER);
  }

  @ParameterizedTest
  @CsvSource({
    "io.nereid.server.(**)", // packages
    "io.nereid.server.(*)..", // subsystems, each with the packages below it
  })
  void packagesHaveNoCycles(String slices) {
    SliceRule rule = SlicesRuleDefinition.slices().matching(slices).should().beFreeOfCycles();
    rule.check(SERVER);
  }

  @Test
  void everyPackageSaysWhatItIsFor() {
    SERVER.forEach(each -> {
      if (!each.getPackageName().startsWith(ROOT + ".protobuf")) {
        assertThat(each.getPackage().tryGetPackageInfo())
            .as("package-info of %s", each.getPackageName())
            .isPresent();
      }
    });
  }

  @ParameterizedTest
  @CsvSource({
    "io.helidon..,http.connection",
    "io.grpc..,grpc protobuf",
    "com.google.protobuf..,codec.protobuf engine grpc metrics.exposition model model.config"
        + " model.control model.loading model.config.conversion protobuf scheduling.journal warmup",
    "com.google.gson..,http",
    "com.lmax..,scheduling",
    "picocli..,options",
    "jdk.jfr..,telemetry.jfr",
    "java.net.http..,"
  })
  void onlyThesePackagesUseALibrary(String library, String packages) {
    String[] allowed =
        Arrays.stream(packages == null ? new String[0] : packages.split(" "))
            .map(name -> ROOT + "." + name + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage(ROOT + ".*..")
        .and()
        .resideOutsideOfPackages(allowed)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(library)
        .check(SERVER);
  }

  @Test
  void onlyFourPackagesCallNativeCode() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            ROOT + ".execution.affinity",
            ROOT + ".memory..",
            ROOT + ".metrics.gpu",
            ROOT + ".signal")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
        .check(SERVER);
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
        .check(SERVER);
  }

  /** So validation, and all else that every request needs, has one place. */
  @Test
  void onlyTheEnginePassesRequestsToSchedulers() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".engine")
        .should()
        .callMethodWhere(target(owner(assignableTo(Scheduler.class))).and(target(name("submit"))))
        .check(SERVER);
  }

  /** A request extends its ticket, so that there is one object for both. */
  @Test
  void noClassCanBeInheritedButATicket() {
    classes()
        .that()
        .resideOutsideOfPackage(ROOT + ".protobuf..")
        .and()
        .areNotInterfaces()
        .and()
        .areNotEnums()
        .and()
        .haveSimpleNameNotEndingWith("package-info")
        .and()
        .areNotAnonymousClasses()
        .and()
        .doNotBelongToAnyOf(Ticket.class)
        .should()
        .haveModifier(JavaModifier.FINAL)
        .check(SERVER);
  }
}
