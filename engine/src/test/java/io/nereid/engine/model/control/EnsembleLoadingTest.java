package io.nereid.engine.model.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.Readiness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repositories of ensembles of models of the TCK's echo backend. */
class EnsembleLoadingTest extends ManagerUnderTest {
  private static final String TENSORS =
      """
      input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 }
      output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }
      """;

  @TempDir private Path repository;

  @Override
  protected List<Path> repositories() {
    return List.of(repository);
  }

  private void write(String name, String config) throws IOException {
    Files.createDirectories(repository.resolve(name).resolve("1"));
    Files.writeString(repository.resolve(name).resolve("config.pbtxt"), config);
  }

  private void model(String name, String more) throws IOException {
    write(name, "backend: \"tck_echo\"\n" + TENSORS + more);
  }

  /** An ensemble of one step. */
  private void ensemble(String name, String model, long version, String more) throws IOException {
    write(
        name,
        """
        platform: "ensemble"
        %s
        ensemble_scheduling {
          step {
            model_name: "%s"
            model_version: %d
            input_map { key: "INPUT0" value: "INPUT0" }
            output_map { key: "OUTPUT0" value: "OUTPUT0" }
          }
        }
        %s
        """
            .formatted(TENSORS, model, version, more));
  }

  private void ensemble(String name, String model) throws IOException {
    ensemble(name, model, -1, "");
  }

  private LoadedModel ready(String name) {
    return registry.find(name, OptionalLong.empty());
  }

  private String reason(String name) {
    return registry.entry(new ModelId("", name)).reason();
  }

  @Test
  void loadsAnEnsembleAfterTheModelsAndEnsemblesThatItIsComposedOf() throws IOException {
    ensemble("a", "b");
    ensemble("b", "c");
    model("c", "");

    assertThat(manager.loadAll()).isTrue();

    assertThat(ready("a").isHealthy()).isTrue();
    assertThat(ready("a").platform()).isEqualTo("ensemble");
    assertThat(ready("a").config().backend()).isEmpty();
    assertThat(registry.obstacle(Readiness.EVERY_MODEL)).isEmpty();
  }

  @Test
  void theErrorNamesMissingModels() throws IOException {
    ensemble("e", "absent");

    assertThat(manager.loadAll()).isFalse();

    assertThat(reason("e"))
        .isEqualTo(
            "Invalid argument: ensemble e contains models that are not available or ambiguous:"
                + " absent");
  }

  @Test
  void aModelWithAnInvalidConfigurationIsMissing() throws IOException {
    ensemble("e", "broken");
    model("broken", "max_batch_size: -1");

    manager.loadAll();

    assertThat(reason("e")).endsWith("contains models that are not available or ambiguous: broken");
  }

  @Test
  void theErrorContainsThatOfANestedEnsemble() throws IOException {
    ensemble("outer", "inner");
    ensemble("inner", "absent");

    manager.loadAll();

    assertThat(reason("outer"))
        .isEqualTo(
            "Invalid argument: ensemble 'outer' depends on 'inner' which is not valid. Model"
                + " 'inner' failed with error: ensemble inner contains models that are not"
                + " available or ambiguous: absent");
  }

  @Test
  void theErrorContainsThatOfAModel() throws IOException {
    ensemble("e", "without_backend");
    write("without_backend", "backend: \"missing\"\n" + TENSORS);

    manager.loadAll();

    assertThat(reason("e"))
        .startsWith(
            "Invalid argument: ensemble 'e' depends on 'without_backend' which has no loaded"
                + " version. Model 'without_backend' loading failed with error: version 1 is at"
                + " UNAVAILABLE state: Invalid argument: unable to find backend library for"
                + " backend 'missing'")
        .endsWith(";")
        .doesNotContain("\n");
  }

  @Test
  void requiresTheVersionOfAStep() throws IOException {
    ensemble("present", "m", 1, "");
    ensemble("absent", "m", 3, "");
    model("m", "");

    manager.loadAll();

    assertThat(ready("present").isHealthy()).isTrue();
    assertThat(reason("absent"))
        .endsWith("ensemble 'absent' depends on 'm' whose required version 3 is not loaded.");
  }

  @Test
  void rejectsCircularDependencies() throws IOException {
    ensemble("a", "b");
    ensemble("b", "a");
    ensemble("c", "a");

    assertThat(manager.loadAll()).isFalse();

    String circle = "circular dependency between ensembles: a -> ... -> b -> a";
    assertThat(reason("a")).isEqualTo("Invalid argument: " + circle);
    assertThat(reason("b")).isEqualTo("Invalid argument: " + circle);
    assertThat(reason("c")).contains("depends on 'a' which is not valid").endsWith(circle);
  }

  @Test
  void isDecoupledIfAModelIsWhateverItsFileSays() throws IOException {
    ensemble("plain", "m", -1, "model_transaction_policy { decoupled: true }");
    ensemble("many", "d");
    ensemble("nested", "many");
    model("m", "");
    model("d", "model_transaction_policy { decoupled: true }");

    assertThat(manager.loadAll()).isTrue();

    assertThat(ready("plain").config().decoupled()).isFalse();
    assertThat(ready("plain").configMessage().getModelTransactionPolicy().getDecoupled()).isFalse();
    assertThat(ready("nested").config().decoupled()).isTrue();
    assertThat(ready("nested").configMessage().getModelTransactionPolicy().getDecoupled()).isTrue();
  }

  @Test
  void rejectsAResponseCacheWithADecoupledModel() throws IOException {
    ensemble("e", "d", -1, "response_cache { enable: true }");
    model("d", "model_transaction_policy { decoupled: true }");

    manager.loadAll();

    assertThat(reason("e"))
        .contains("Response Cache does not currently support model e with 'decoupled'");
  }

  @Test
  void inheritsTheLabelsOfComposingModels() throws IOException {
    ensemble("e", "labelled");
    write(
        "labelled",
        """
        backend: "tck_echo"
        input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 }
        output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 label_filename: "labels.txt" }
        """);
    Files.writeString(repository.resolve("labelled/labels.txt"), "zero\none\n");

    manager.loadAll();

    assertThat(ready("e").labels("OUTPUT0").lines().stream().map(line -> new String(line, UTF_8)))
        .containsExactly("zero", "one");
  }
}
