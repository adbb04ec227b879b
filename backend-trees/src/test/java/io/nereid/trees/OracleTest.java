package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The predictions of the official libraries, as {@code src/test/scripts/oracle.py} has recorded
 * them: the committed models, or those in the folder {@code -Dnereid.trees.models}, which {@code
 * make trees} makes. Margins must be the same bits; predictions, which go through functions such as
 * exp, may be the float beside it. Contributions, which the libraries add up in other orders, are
 * compared with the largest of the model.
 */
class OracleTest {
  private static final Map<String, Row> TABLE = new TreeMap<>();

  private static final class Row {
    int models;
    int equal;
    int explained;
    double contributions;
    OracleCase.Comparison margins = OracleCase.NONE;
    OracleCase.Comparison predictions = OracleCase.NONE;
  }

  @TestFactory
  Stream<DynamicTest> predictsWhatTheLibraryPredicts() {
    String folder = System.getProperty("nereid.trees.models");
    List<Path> cases = TestModels.cases(folder == null ? TestModels.folder() : Path.of(folder));
    assertThat(cases).hasSizeGreaterThan(50);
    return cases.stream()
        .map(each ->
            DynamicTest.dynamicTest(
                each.getFileName().toString(), () -> compare(new OracleCase(each))));
  }

  private static void compare(OracleCase each) throws IOException {
    // decision_function is a difference, of which floats tell little near 0
    boolean isIsolationForest = each.model().isIsolationForest();
    var margins = isIsolationForest ? OracleCase.NONE : each.compare(OutputKind.MARGIN);
    if (isIsolationForest) {
      assertThat(each.largestDifference(OutputKind.MARGIN)).isLessThan(1e-12);
    }
    var predictions = OracleCase.NONE;
    for (OutputKind kind : OutputKind.values()) {
      if (kind != OutputKind.MARGIN && kind != OutputKind.CONTRIBUTIONS) {
        predictions = predictions.plus(each.compare(kind));
      }
    }
    var row = TABLE.computeIfAbsent(each.kind(), _ -> new Row());
    row.models++;
    row.equal += margins.different() + predictions.different() == 0 ? 1 : 0;
    row.margins = row.margins.plus(margins);
    row.predictions = row.predictions.plus(predictions);
    double contributions = each.compareContributions();
    if (!Double.isNaN(contributions)) {
      row.explained++;
      row.contributions = Math.max(row.contributions, contributions);
    }

    assertThat(predictions.values()).isPositive();
    assertThat(margins.different()).as("margins that differ of %d", margins.values()).isZero();
    assertThat(margins.differentDoubles()).as("margins that differ as doubles").isZero();
    assertThat(predictions.maxUlp()).as("distance of predictions").isLessThanOrEqualTo(1);
    boolean addsFloats = Files.exists(each.folder().resolve("contributions.f32"));
    assertThat(row.contributions)
        .as("difference of contributions")
        .isLessThanOrEqualTo(addsFloats ? 1e-5 : 1e-9);
    assertThat(each.compareSums())
        .as("difference of their sums and margins")
        .matches(sum -> !(sum > 1e-5));
  }

  @AfterAll
  static void print() {
    if (System.getProperty("nereid.trees.models") == null) {
      return;
    }
    System.out.println(
        "| kind | models | equal | values | differ | max ulp | doubles differ |"
            + " explained | contributions differ by |");
    System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    TABLE.forEach((kind, row) -> {
      var all = row.margins.plus(row.predictions);
      System.out.printf(
          "| %s | %d | %d | %d | %d | %d | %d | %d | %.1e |%n",
          kind,
          row.models,
          row.equal,
          all.values(),
          all.different(),
          all.maxUlp(),
          all.differentDoubles(),
          row.explained,
          row.contributions);
    });
  }
}
