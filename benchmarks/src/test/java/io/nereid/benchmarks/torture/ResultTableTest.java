package io.nereid.benchmarks.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ResultTableTest {
  @Test
  void aRowHasAsManyCellsAsTheHeader() {
    String row = ResultTable.row(Reports.of(Reports.SAME, 0, 4, ""));

    assertThat(row)
        .isEqualTo(
            "| fake | 413 after \\| 65 MB | 1, 1 | 1, 1 | 1, 1 | 1, 1 | 0 | 500, 800, 510 | 3 | 0 | 0 | 3 | 4 | – |");
    assertThat(row.replace("\\|", "").split("\\|", -1))
        .hasSameSizeAs(ResultTable.header().lines().findFirst().orElseThrow().split("\\|", -1));
  }
}
