package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.RuleCases;
import io.nereid.tck.model.CallSettings;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.provider.EnumSource;

/** Every data type, in and out. */
@ExtendWith(RuleWatch.class)
public abstract class TypesVerification implements CallSettings {
  /**
   * A model that does not batch, with one input and one output of that type, dims {@code [-1]},
   * which copies its input; empty if the backend does not support the type.
   */
  protected abstract Optional<BackendUnderTest> identity(DataType type);

  @RuleCases("BACKEND-TYPES-01")
  @EnumSource
  void copiesEveryBit(DataType type) {
    var output = answer(type, Shape.of(7), 1);

    var expected = new TensorGenerator(1).tensor("", type, Shape.of(7));
    assertThat(output.shape()).isEqualTo(expected.shape());
    assertThat(output.byteSize()).isEqualTo(expected.byteSize());
    assertThat(output.data().mismatch(expected.data())).isEqualTo(-1);
  }

  @RuleCases("BACKEND-TYPES-02")
  @EnumSource
  void copiesATensorWithoutElements(DataType type) {
    var output = answer(type, Shape.of(0), 2);

    assertThat(output.shape()).isEqualTo(Shape.of(0));
    assertThat(output.byteSize()).isZero();
  }

  private Tensor answer(DataType type, Shape shape, long seed) {
    var tested = identity(type);
    assumeThat(tested).as("the backend supports %s", type).isPresent();
    try (var model = OpenModel.of(tested.orElseThrow(), this)) {
      String name = model.config().inputs().getFirst().name();
      var input = new TensorGenerator(seed).tensor(name, type, shape);
      var outputs = model.execute(List.of(List.of(input))).outputs(0).tensors();
      assertThat(outputs).hasSize(1);
      var output = outputs.values().iterator().next();
      assertThat(output.dataType()).isEqualTo(type);
      return output;
    }
  }
}
