package io.nereid.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The table in {@code docs/architecture.md} of which thread makes which call of a backend. */
@Timeout(120)
class BackendThreadsTest {
  private static final String SECTION = "Which thread makes which call of a backend";
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** By call: the patterns of the names of the threads that may make it. */
  private static Map<String, List<String>> table() throws IOException {
    String page = Files.readString(Path.of("../docs/architecture.md"));
    String part = page.substring(page.indexOf(SECTION));
    String rows = part.substring(part.indexOf("\n|"), part.indexOf("\n\n", part.indexOf("\n|")));
    Map<String, List<String>> table = new LinkedHashMap<>();
    rows.lines()
        .filter(row -> row.startsWith("| `"))
        .forEach(row -> {
          String[] cells = row.split("\\|", -1);
          List<String> threads =
              codes(cells[2]).map(name -> name.replaceAll("<[a-z]+>", ".+")).toList();
          codes(cells[1]).forEach(call -> table.put(call, threads));
        });
    return table;
  }

  private static Stream<String> codes(String cell) {
    return CODE.matcher(cell).results().map((MatchResult code) -> code.group(1));
  }

  @Test
  void theTableHasEveryCall() throws IOException {
    List<String> calls =
        RecordedBackend.TYPES.stream()
            .flatMap(type -> Stream.of(type.getDeclaredMethods()))
            .filter(method -> !method.isSynthetic())
            .map((Method method) ->
                method.getDeclaringClass().getSimpleName() + "." + method.getName())
            .distinct()
            .toList();

    assertThat(table().keySet()).containsExactlyInAnyOrderElementsOf(calls);
  }

  @Test
  void theseThreadsMakeTheCalls(@TempDir Path repository) throws IOException {
    for (String model : List.of("serial", "piped")) {
      ModelOnDisk.of(
          repository,
          model,
          """
          backend: "recorded"
          max_batch_size: 4
          input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] optional: true }
          output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
          instance_group { count: 1 kind: KIND_CPU }
          dynamic_batching { }
          """);
    }
    try (Engine engine = Engine.builder().repository(repository).startWith("*").open()) {
      for (String model : List.of("serial", "piped")) {
        engine.infer(ModelRequest.to(model).build()).close();
        assertThatExceptionOfType(InferenceException.class)
            .isThrownBy(() -> engine.infer(ModelRequest.to(model).id("fail").build()));
        assertThat(engine.isReady(model)).isTrue();
      }
      assertThat(engine.statistics()).hasSize(2);
      engine.unload("serial");
    }

    Map<String, List<String>> table = table();
    RecordedBackend.THREADS.forEach((call, threads) ->
        assertThat(threads)
            .as("the threads that call %s", call)
            .allMatch(
                thread -> table.getOrDefault(call, List.of()).stream().anyMatch(thread::matches)));
    assertThat(RecordedBackend.THREADS)
        .containsKeys(
            "Backend.load",
            "Backend.close",
            "Model.open",
            "Model.memoryUsage",
            "Model.close",
            "ModelInstance.execute",
            "ModelInstance.isHealthy",
            "ModelInstance.close",
            "PipelinedInstance.start",
            "PipelinedInstance.finish",
            "BatchingStrategy.begin");
  }
}
