package io.nereid;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.nereid.policy.Ticket;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The arrows between packages, as they are meant to be. A new arrow is a decision: write it here.
 */
class ArchitectureTest {
  private static final String ROOT = "io.nereid.";

  /** The contract that backends see. */
  private static final Set<String> CONTRACT = Set.of("config", "error", "request", "spi", "tensor");

  private static final JavaClasses SERVER =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("/api-spi"))
          .withImportOption(location -> location.contains("/server-nima"))
          .importPackages("io.nereid");

  /** {@code io.nereid.http} for any class in it or under it: {@code http}. */
  private static String packageOf(String className) {
    if (!className.startsWith(ROOT)) {
      return "";
    }
    String rest = className.substring(ROOT.length());
    if (rest.startsWith("protocol.wire.")) {
      return "wire";
    }
    return rest.substring(0, Math.max(0, rest.indexOf('.')));
  }

  @ParameterizedTest
  @CsvSource({
    "memory,",
    "statistics,",
    "exchange,flight memory policy",
    "validation,exchange",
    "instance,exchange flight memory ratelimit statistics",
    "ratelimit,",
    "policy,",
    "flight,",
    "scheduler,exchange flight instance policy statistics",
    "journal,policy scheduler",
    "ensemble,exchange memory scheduler statistics",
    "backend,",
    "protocol,exchange memory statistics wire",
    "repository,backend ensemble exchange instance memory ratelimit scheduler statistics"
        + " validation wire",
    "engine,exchange memory protocol repository scheduler statistics validation",
    "http,engine exchange memory protocol repository",
    "grpc,engine exchange memory protocol repository statistics wire",
    "observe,memory statistics",
    "demo,wire",
    "server,backend demo engine grpc http journal memory observe ratelimit repository scheduler"
  })
  void aPackageKnowsTheContractAndTheseOthersOnly(String name, String others) {
    Set<String> allowed = new HashSet<>(CONTRACT);
    allowed.add(name);
    if (others != null) {
      allowed.addAll(Arrays.asList(others.split(" ")));
    }
    var strangers = new TreeMap<String, String>();
    int classes = 0;
    for (JavaClass each : SERVER) {
      if (!packageOf(each.getName()).equals(name)) {
        continue;
      }
      classes++;
      each.getDirectDependenciesFromSelf()
          .forEach(dependency -> {
            String target = packageOf(dependency.getTargetClass().getBaseComponentType().getName());
            if (!target.isEmpty() && !allowed.contains(target)) {
              strangers.put(target, dependency.getDescription());
            }
          });
    }
    assertThat(classes).as("classes of %s", name).isPositive();
    assertThat(strangers).isEmpty();
  }

  @Test
  void noArrowLeadsInACircle() {
    slices().matching("io.nereid.(*)..").should().beFreeOfCycles().check(SERVER);
  }

  @Test
  void everyPackageHasItsArrowsWrittenHere() {
    Set<String> packages = new HashSet<>();
    SERVER.forEach(each -> packages.add(packageOf(each.getName())));

    assertThat(packages)
        .containsExactlyInAnyOrder(
            "memory",
            "statistics",
            "exchange",
            "validation",
            "instance",
            "ratelimit",
            "policy",
            "scheduler",
            "flight",
            "journal",
            "ensemble",
            "backend",
            "protocol",
            "wire",
            "repository",
            "engine",
            "http",
            "grpc",
            "observe",
            "demo",
            "server");
  }

  @Test
  void everyPackageSaysWhatItIsFor() {
    SERVER.forEach(each -> {
      if (!packageOf(each.getName()).equals("wire")) {
        assertThat(each.getPackage().tryGetPackageInfo())
            .as("package-info of %s", each.getPackageName())
            .isPresent();
      }
    });
  }

  @ParameterizedTest
  @CsvSource({
    "io.helidon..,http observe",
    "io.grpc..,grpc demo wire",
    "com.google.protobuf..,protocol repository grpc demo wire",
    "com.google.gson..,http repository demo",
    "com.lmax..,journal scheduler",
    "picocli..,server",
    "jdk.jfr..,flight",
    "java.net.http..,demo"
  })
  void aLibraryIsKnownToItsPackagesOnly(String library, String packages) {
    String[] allowed =
        Arrays.stream(packages.split(" "))
            .map(name -> name.equals("wire") ? "io.nereid.protocol.wire.." : ROOT + name + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideOutsideOfPackages(allowed)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(library)
        .check(SERVER);
  }

  @Test
  void nothingHereCallsNativeCode() {
    noClasses()
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
        .resideOutsideOfPackage("io.nereid.server..")
        .should()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .callMethod(Runtime.class, "halt", int.class)
        .check(SERVER);
  }

  /** A request extends its ticket, so that there is one object for both. */
  @Test
  void noClassCanBeInheritedButATicket() {
    classes()
        .that()
        .resideOutsideOfPackage("io.nereid.protocol.wire..")
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
        .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL)
        .check(SERVER);
  }
}
