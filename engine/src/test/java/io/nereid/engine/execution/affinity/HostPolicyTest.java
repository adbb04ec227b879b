package io.nereid.engine.execution.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.engine.execution.affinity.HostPolicy.Cores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostPolicyTest {
  @Test
  void coresAreRanges() {
    var policy = HostPolicy.ANY.with("cpu-cores", "0-3,8-8");

    assertThat(policy.cores()).containsExactly(new Cores(0, 3), new Cores(8, 8));
    assertThat(policy.coreSet().stream()).containsExactly(0, 1, 2, 3, 8);
    assertThat(policy.numaNode()).isEmpty();
  }

  @Test
  void settingsAreIndependentAndTheLastValueCounts() {
    var policy =
        HostPolicy.ANY
            .with("cpu-cores", "0-3")
            .with("numa-node", "1")
            .with("cpu-cores", "4-5")
            .with("numa-node", "0");

    assertThat(policy.cores()).containsExactly(new Cores(4, 5));
    assertThat(policy.numaNode()).hasValue(0);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      delimiter = '|',
      value = {
        "cpu-cores|3|host policy setting 'cpu-cores' format is"
            + " '<lower_cpu_core_id>-<upper_cpu_core_id>'. Got 3",
        "cpu-cores|0-1,3|'<lower_cpu_core_id>-<upper_cpu_core_id>'. Got 3",
        "cpu-cores|3-1|'<lower_cpu_core_id>-<upper_cpu_core_id>'. Got 3-1",
        "cpu-cores|0-1,|'<lower_cpu_core_id>-<upper_cpu_core_id>'. Got",
        "cpu-cores|a-1|Parsing 'cpu-cores' value: Can't parse 'a' to integer",
        "cpu-cores|-1|Parsing 'cpu-cores' value: Can't parse '' to integer",
        "cpu-cores|0-8192|Parsing 'cpu-cores' value: expected less than 8192, got 8192",
        "cpu-cores|0-99999999999|Can't parse '99999999999' to integer",
        "numa-node|first|Parsing 'numa-node' value: Can't parse 'first' to integer",
        "numa-node|-1|Parsing 'numa-node' value: Can't parse '-1' to integer",
        "numa-node|1024|Parsing 'numa-node' value: expected less than 1024, got 1024",
        "cores|0-1|Unsupported host policy setting 'cores' is specified, supported settings are"
            + " 'numa-node', 'cpu-cores'",
      })
  void rejectsWhatItCannotRead(String setting, String value, String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HostPolicy.ANY.with(setting, value))
        .withMessageContaining(text);
  }
}
