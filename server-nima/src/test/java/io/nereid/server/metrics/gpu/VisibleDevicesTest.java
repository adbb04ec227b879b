package io.nereid.server.metrics.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VisibleDevicesTest {
  private static final List<String> UUIDS = List.of("GPU-aa1", "GPU-ab2", "GPU-b33");

  @Test
  void allAreVisibleWithoutTheVariable() {
    assertThat(VisibleDevices.select(Optional.empty(), UUIDS)).containsExactly(0, 1, 2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2,0        | 0 2",
        "0,7,1      | 0",
        "-1         | ''",
        "''         | ''",
        "GPU-b      | 2",
        "GPU-a      | ''",
        "GPU-ab2, 0 | 0 1",
        "MIG-5c89   | 0 1 2",
        "NoDevFiles | ''"
      })
  void selectsByIndexAndUuidUpToTheFirstThatDoesNotExist(String variable, String expected) {
    List<Integer> selected = VisibleDevices.select(Optional.of(variable), UUIDS);
    assertThat(String.join(" ", selected.stream().map(String::valueOf).toList()))
        .isEqualTo(expected);
  }
}
