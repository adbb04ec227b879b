package io.nereid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchOutput;
import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigBuilder;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ModelConfigBuilderTest {
  private static final TensorConfig TENSOR = TensorConfig.of("IN", DataType.FP32, Shape.of(4));

  /** A change of each component, by its name. */
  private static Map<String, UnaryOperator<ModelConfigBuilder>> changes() {
    Map<String, UnaryOperator<ModelConfigBuilder>> changes = new LinkedHashMap<>();
    changes.put("name", builder -> builder.name("other"));
    changes.put("platform", builder -> builder.platform("onnxruntime_onnx"));
    changes.put("backend", builder -> builder.backend("other"));
    changes.put("maxBatchSize", builder -> builder.maxBatchSize(8));
    changes.put("inputs", builder -> builder.inputs(TENSOR));
    changes.put("outputs", builder -> builder.outputs(TENSOR));
    changes.put(
        "batchInputs",
        builder ->
            builder.batchInputs(
                List.of(
                    new BatchInput(
                        BatchInput.Kind.BATCH_ELEMENT_COUNT,
                        List.of("COUNT"),
                        DataType.FP32,
                        "IN"))));
    changes.put(
        "batchOutputs", builder -> builder.batchOutputs(List.of(new BatchOutput("OUT", "IN"))));
    changes.put("scheduling", builder -> builder.scheduling(BatchingSettings.of(List.of(4), 1)));
    changes.put("decoupled", builder -> builder.decoupled(true));
    changes.put("defaultModelFilename", builder -> builder.defaultModelFilename("model.bin"));
    changes.put(
        "computeCapabilityFilenames",
        builder -> builder.computeCapabilityFilenames(Map.of("9.0", "model9.bin")));
    changes.put(
        "operationLibraries", builder -> builder.operationLibraries(List.of("operators.so")));
    changes.put("parameters", builder -> builder.parameter("threads", "2"));
    return changes;
  }

  @Test
  void changesOneComponentAndNoOther() throws ReflectiveOperationException {
    var plain = ModelConfig.of("plain", "backend");
    for (Map.Entry<String, UnaryOperator<ModelConfigBuilder>> change : changes().entrySet()) {
      ModelConfig changed = change.getValue().apply(plain.toBuilder()).build();

      List<String> different = new ArrayList<>();
      for (RecordComponent component : ModelConfig.class.getRecordComponents()) {
        var accessor = component.getAccessor();
        if (!accessor.invoke(plain).equals(accessor.invoke(changed))) {
          different.add(component.getName());
        }
      }
      assertThat(different).containsExactly(change.getKey());
    }
  }

  @Test
  void hasAMethodForEachComponent() {
    List<String> components =
        Stream.of(ModelConfig.class.getRecordComponents()).map(RecordComponent::getName).toList();
    assertThat(changes().keySet())
        .containsAll(components.stream().filter(name -> !name.equals("optimization")).toList());
    var plain = ModelConfig.of("plain", "backend");
    assertThat(plain.toBuilder().optimization(OptimizationSettings.DEFAULT).build())
        .isEqualTo(plain);
  }

  @Test
  void keepsTheOtherParameters() {
    var two =
        ModelConfig.of("plain", "backend").toBuilder()
            .parameter("a", "1")
            .parameter("b", "2")
            .build();

    assertThat(two.toBuilder().parameter("b", "3").build().parameters())
        .isEqualTo(Map.of("a", "1", "b", "3"));
    assertThat(two.toBuilder().parameters(Map.of("c", "4")).build().parameters())
        .isEqualTo(Map.of("c", "4"));
  }
}
