package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.request.SequenceId;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.scheduler.TestAnswer;
import io.nereid.tck.scheduler.TestRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Instances that come and go while a model serves. */
@Timeout(120)
class InstanceUpdateTest {
  private static final String CONFIG =
      """
      name: "m"
      backend: "gate"
      max_batch_size: 0
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      instance_group { name: "g" kind: KIND_CPU count: 1 }
      """;

  private static final String SEQUENCES = CONFIG + "sequence_batching { direct {} }\n";

  @TempDir private Path repository;
  private @Nullable LoaderUnderTest loader;
  private @Nullable ModelUnderTest model;
  private final Gate gate = Gate.of("m");

  @BeforeEach
  void open() {
    loader = new LoaderUnderTest(repository);
  }

  @AfterEach
  void close() {
    gate.openAll();
    loader().close();
    Gate.forget("m");
  }

  private LoaderUnderTest loader() {
    return Objects.requireNonNull(loader);
  }

  private ModelUnderTest model() {
    return Objects.requireNonNull(model);
  }

  private void load(String config) {
    model = (ModelUnderTest) loader().load(config);
  }

  private void update(String... names) {
    List<InstanceSettings> wanted = new ArrayList<>();
    for (String name : names) {
      wanted.add(new InstanceSettings(name, InstanceSettings.Kind.KIND_CPU, 0, List.of(), false));
    }
    model().update(wanted);
  }

  private TestAnswer submit(String id) {
    return model().submit(TestRequest.of(id, TestRequest.fp32("IN0", 1, 4)));
  }

  private TestAnswer submit(String id, long sequence, boolean start, boolean end) {
    return model()
        .submit(
            TestRequest.of(id, TestRequest.fp32("IN0", 1, 4))
                .inSequence(new SequenceId.OfNumber(sequence), start, end));
  }

  private List<String> executed() {
    loader().settle();
    return gate.executions().stream().map(Execution::ids).map(List::getFirst).toList();
  }

  @Test
  void anAddedInstanceRunsWhatWaits() {
    load(CONFIG);
    submit("a");
    submit("b");
    assertThat(executed()).containsExactly("a");

    update("g_0", "g_1");

    assertThat(executed()).containsExactly("a", "b");
    assertThat(gate.instances()).hasSize(2);
  }

  @Test
  void aRemovedInstanceFinishesWhatItRunsAndGetsNothingNew() {
    load(CONFIG);
    update("g_0", "g_1");
    TestAnswer first = submit("a");
    submit("b");
    assertThat(executed()).containsExactlyInAnyOrder("a", "b");

    update("g_0");
    submit("c");
    gate.open("g_1", 1);

    assertThat(executed()).hasSize(2);
    gate.open("g_0", 1);
    assertThat(executed()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(first.isDone()).isTrue();
  }

  @Test
  void aRemovedInstanceKeepsItsSequencesToTheirEnd() {
    load(SEQUENCES);
    update("g_0", "g_1");
    gate.open(100);
    submit("a0", 1, true, false);
    submit("b0", 2, true, false);
    assertThat(executed()).containsExactlyInAnyOrder("a0", "b0");

    update("g_0");
    submit("c0", 3, true, false); // there is no slot for it
    submit("b1", 2, false, false);
    assertThat(executed()).containsExactlyInAnyOrder("a0", "b0", "b1");

    submit("b2", 2, false, true);
    assertThat(executed()).endsWith("b2");
    submit("a1", 1, false, true);
    assertThat(executed()).endsWith("a1", "c0");
  }

  @Test
  void whatIsThereAlreadyStays() {
    load(CONFIG);
    update("other_name");
    submit("a");
    assertThat(executed()).containsExactly("a");
    assertThat(gate.instances()).hasSize(1);
  }
}
