package io.nereid.server.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.ErrorCode;
import io.nereid.engine.testing.PackageRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The dependencies of the client, which knows no server and needs gRPC only for gRPC. */
class ClientArchitectureTest {
  private static final String ROOT = "io.nereid.client";
  private static final PackageRules RULES = PackageRules.of(ROOT, "/client/target/");

  @Test
  void transportsDoNotKnowEachOther() {
    RULES.assertDependencies(
        """
        grpc
        model
        rest
        """);
  }

  @Test
  void callsDoNotKnowHowTheyTravel() {
    noClasses()
        .that()
        .resideInAPackage(ROOT)
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            ROOT, "java..", "javax.net.ssl..", "org.jspecify..", ROOT + ".model..")
        .check(RULES.classes());
  }

  @ParameterizedTest
  @CsvSource({
    "io.grpc..,grpc",
    "com.google..,grpc",
    "io.nereid.protocol..,grpc",
    "com.fasterxml..,rest",
    "java.net.http..,rest"
  })
  void onlyThesePackagesUseALibrary(String library, String packages) {
    RULES.assertOnlyTheseUse(library, packages);
  }

  @Test
  void nothingKnowsTheServer() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.nereid.engine..", "io.nereid.server..", "io.nereid.spi..", "io.nereid.tck..")
        .check(RULES.classes());
  }

  @Test
  void everyPackageSaysWhatItIsFor() {
    RULES.assertPackageInfo();
  }

  @Test
  void noClassCanBeInherited() {
    RULES.assertFinal();
  }

  @Test
  void itHasAClass() {
    assertThat(RULES.classes().contain(ErrorCode.class)).isTrue();
  }
}
