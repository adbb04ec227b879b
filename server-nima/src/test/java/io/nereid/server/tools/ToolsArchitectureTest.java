package io.nereid.server.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.PackageRules;
import io.nereid.tools.InferCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The dependencies of the commands that ask models, which know no server. */
class ToolsArchitectureTest {
  private static final PackageRules RULES = PackageRules.of("io.nereid.tools", "/tools/target/");

  @Test
  void neitherFilesNorLoadsKnowACommand() {
    RULES.assertDependencies(
        """
        data
        load.arrival
        load.transport <- load.arrival
        load           <- load.arrival load.transport
        """);
  }

  @ParameterizedTest
  @CsvSource({
    "picocli..,''",
    "com.google.gson..,data",
    "de.siegmar..,data",
    "io.grpc..,load.transport",
    "io.netty..,load.transport",
    "org.HdrHistogram..,load"
  })
  void onlyThesePackagesUseALibrary(String library, String packages) {
    RULES.assertOnlyTheseUse(library, packages);
  }

  @Test
  void nothingKnowsTheServer() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.nereid.server..", "io.nereid.tck..")
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
    assertThat(RULES.classes().contain(InferCommand.class)).isTrue();
  }
}
