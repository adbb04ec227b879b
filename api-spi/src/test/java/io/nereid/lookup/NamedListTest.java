package io.nereid.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedListTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 16, 17, 500})
  void findsTheFirstOfANameAndIsTheSameList(int size) {
    List<String> values = new ArrayList<>(IntStream.range(0, size).mapToObj(i -> "n" + i).toList());
    if (size > 1) {
      values.set(size - 1, new String("n0"));
    }
    List<String> list = NamedList.copyOf(values, Function.identity());

    assertThat(list).isEqualTo(values).hasSameHashCodeAs(values);
    assertThat(NamedList.copyOf(list, Function.identity())).isEqualTo(values);
    for (String value : values) {
      assertThat(NamedList.find(list, value, Function.identity()))
          .hasValueSatisfying(
              found -> assertThat(found).isSameAs(values.get(values.indexOf(value))));
    }
    assertThat(NamedList.find(list, "other", Function.identity())).isEmpty();
    values.add("later");
    assertThat(list).hasSize(size);
    assertThatThrownBy(() -> list.add("x")).isInstanceOf(UnsupportedOperationException.class);
  }
}
