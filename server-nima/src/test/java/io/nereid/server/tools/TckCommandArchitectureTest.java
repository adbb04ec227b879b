package io.nereid.server.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.nereid.engine.testing.PackageRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The dependencies of the kit's command, which knows a server by its addresses, and loads backends
 * as the server does.
 */
class TckCommandArchitectureTest {
  private static final PackageRules RULES =
      PackageRules.of("io.nereid.tck.command", "/command/target/");

  @Test
  void reportsKnowNoCommand() {
    noClasses()
        .that()
        .resideInAPackage("io.nereid.tck.command.report")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.nereid.tck.command")
        .check(RULES.classes());
  }

  @ParameterizedTest
  @CsvSource({"picocli..", "org.junit.."})
  void reportsDoNotUse(String library) {
    RULES.assertOnlyTheseUse(library, "tested");
  }

  @Test
  void onlyReportsAndSignaturesOfModelsAreWrittenAsJson() {
    noClasses()
        .that()
        .resideInAPackage("io.nereid.tck.command")
        .and()
        .doNotHaveSimpleName("ModelSignatures")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.fasterxml.jackson..")
        .check(RULES.classes());
  }

  @Test
  void onlyTheSearchOfBackendsKnowsAPartOfTheServer() {
    noClasses()
        .that()
        .doNotHaveSimpleName("BackendFolder")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.nereid.server..", "io.nereid.engine..")
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
}
