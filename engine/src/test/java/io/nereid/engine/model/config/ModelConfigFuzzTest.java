package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.ConfigText;
import io.nereid.engine.model.config.text.ConfigTextReader;
import io.nereid.engine.model.config.validation.ConfigProblems;
import io.nereid.engine.testing.FuzzedMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/** Any configuration, from its text to the record of the model and those of its instances. */
class ModelConfigFuzzTest {
  private static final ModelDirectory DIRECTORY =
      new ModelDirectory(Path.of("/there/is/no/such/directory/m"));

  private final ModelConfigReader reader = new ModelConfigReader(ConfigSettings.DEFAULT);
  private final ModelConfigCompletion completion =
      new ModelConfigCompletion(ConfigSettings.DEFAULT);

  @FuzzTest
  void isCompletedOrRejected(byte[] input) {
    ConfigText text = ConfigTextReader.read(input);
    FuzzedMemory.run(
        input,
        _ -> {
          var problems = new ConfigProblems();
          var config = text.message();
          if (config.getBackend().isEmpty()) { // would be looked for in the directory
            config = config.toBuilder().setBackend("identity").build();
          }
          var normal = reader.check(config, DIRECTORY, problems);
          var completed =
              completion.complete(
                  DIRECTORY, normal, UnaryOperator.identity(), _ -> 1, List.of(), problems);
          if (problems.isEmpty()) {
            assertThat(ModelConfigRecords.record(completed).name()).isEqualTo("m");
            assertThat(InstanceGroups.expand(completed)).isNotEmpty();
          }
          problems.all().forEach(problem -> assertThat(problem.message()).isNotEmpty());
        });
  }
}
