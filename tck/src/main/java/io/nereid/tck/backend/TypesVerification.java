package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.RuleCases;
import io.nereid.tck.model.CallSettings;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.provider.EnumSource;

/** Every data type, in and out. */
@ExtendWith(RuleWatch.class)
public abstract class TypesVerification implements CallSettings {
  private static final int ELEMENTS = 40;

  /**
   * A model that does not batch, with one input and one output of that type, dims {@code [-1]},
   * which copies its input; empty if the backend does not support the type.
   */
  protected abstract Optional<BackendUnderTest> identity(DataType type);

  @RuleCases("BACKEND-TYPES-01")
  @EnumSource
  void copiesEveryBit(DataType type) {
    var ordinary = new TensorGenerator(1).tensor("", type, Shape.of(ELEMENTS));
    for (Tensor input : List.of(ordinary, extremes(type))) {
      var output = answer(input);

      assertThat(output.shape()).isEqualTo(input.shape());
      assertThat(output.byteSize()).isEqualTo(input.byteSize());
      assertThat(output.data().mismatch(input.data()))
          .as("offset of the first byte that differs")
          .isEqualTo(-1);
    }
  }

  /** What a conversion loses: the least number above zero, a negative zero, NULs at the end. */
  private static Tensor extremes(DataType type) {
    if (type == DataType.BYTES) {
      byte[] texts = Samples.strings("a\0", "\0\0", "");
      return new Tensor("", type, Shape.of(3), MemorySegment.ofArray(texts));
    }
    byte[] bytes = new byte[2 * type.byteSize()];
    bytes[0] = 1;
    bytes[bytes.length - 1] = (byte) (type == DataType.BOOL ? 0 : 0x80);
    return new Tensor("", type, Shape.of(2), MemorySegment.ofArray(bytes));
  }

  @RuleCases("BACKEND-TYPES-02")
  @EnumSource
  void copiesATensorWithoutElements(DataType type) {
    var output = answer(new TensorGenerator(2).tensor("", type, Shape.of(0)));

    assertThat(output.shape()).isEqualTo(Shape.of(0));
    assertThat(output.byteSize()).isZero();
  }

  private Tensor answer(Tensor values) {
    DataType type = values.dataType();
    var tested = identity(type);
    assumeThat(tested).as("the backend supports %s", type).isPresent();
    try (var model = OpenModel.of(tested.orElseThrow(), this)) {
      String name = model.config().inputs().getFirst().name();
      var outputs = model.execute(List.of(List.of(values.named(name)))).outputs(0).tensors();
      assertThat(outputs).hasSize(1);
      var output = outputs.values().iterator().next();
      assertThat(output.dataType()).isEqualTo(type);
      return output;
    }
  }
}
