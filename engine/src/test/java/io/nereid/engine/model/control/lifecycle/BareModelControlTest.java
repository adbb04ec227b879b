package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.ModelManager;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.tck.scheduler.TestResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A repository of one model without a layout, in each control mode. */
class BareModelControlTest extends LifecycleTests {
  @Override
  protected ModelManager manager(List<Path> repositories, ControlSettings control) {
    return managerOf(List.of(new LocalRepository(directory, Optional.of("m"))), control);
  }

  private void restart(ControlMode mode, String... startupModels) {
    manager.close();
    manager = manager(repositories(), control(mode, List.of(startupModels), false));
  }

  private void writeModel() {
    repository.write("config.pbtxt", config("")).write("model.bin", "model");
  }

  @Test
  void itIsLoadedAtTheStartAsVersionOne() {
    writeModel();
    restart(ControlMode.NONE);

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "r");
    assertThat(loads("m").copies().getFirst().directory()).isEqualTo(directory);
  }

  @Test
  void clientsLoadAndUnloadItInExplicitMode() {
    writeModel();
    restart(ControlMode.EXPLICIT);
    assertThat(manager.loadAll()).isTrue();
    assertThat(index()).containsExactly("m");

    load("m");
    execute("m", "r");
    unload("m");
    awaitIndex("m 1 UNAVAILABLE unloaded");

    load("m");
    assertThat(index()).containsExactly("m 1 READY");
    assertThat(loadFailure("other")).hasMessageEndingWith("no repository contains it");
  }

  @Test
  void aStartupModelIsNamedAsItIsServed() {
    writeModel();
    restart(ControlMode.EXPLICIT, "m");

    assertThat(manager.loadAll()).isTrue();

    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void itIsLoadedAgainWhenItsFileHasChangedAndTheChangeHasSettled() {
    writeModel();
    restart(ControlMode.POLL);
    manager.loadAll();
    TestResponse held = submitHeld("m", "held");
    manager.poll();
    assertThat(loads("m").copies()).hasSize(1);
    repository.write("model.bin", "another");

    manager.poll();
    assertThat(loads("m").copies()).hasSize(1);
    manager.poll();

    assertThat(loads("m").copies()).hasSize(2);
    gate("m").openAll();
    assertThat(held.await().failure()).isEmpty();
    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void onlyInstancesAreAddedWhenOnlyTheirNumberHasChanged() {
    writeModel();
    load("m");
    repository.write("config.pbtxt", config(3, ""));

    load("m");

    assertThat(loads("m").copies()).hasSize(1);
    assertThat(loads("m").copies().getFirst().openInstances()).isEqualTo(3);
  }

  @Test
  void aDirectoryOfAVersionThatAppearsLeavesItAsItIs() {
    writeModel();
    restart(ControlMode.POLL);
    manager.loadAll();
    repository.write("1/model.bin", "model");

    manager.poll();
    manager.poll();

    assertThat(loads("m").copies()).hasSize(1);
    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "r");
  }

  @Test
  void aClientMayReplaceItsConfigurationAndItsFiles() {
    writeModel();
    String json =
        """
        {"backend":"lifecycle","input":[{"name":"IN0","data_type":"TYPE_FP32","dims":[4]}],
         "output":[{"name":"OUT0","data_type":"TYPE_FP32","dims":[4]}],
         "instance_group":[{"kind":"KIND_CPU","count":2}]}
        """;

    loadWith("m", json);
    assertThat(loads("m").copies().getLast().directory()).isEqualTo(directory);
    assertThat(loads("m").copies().getLast().openInstances()).isEqualTo(2);

    loadWith("m", json, Map.of("5/model.bin", ByteBuffer.wrap(new byte[] {1})));
    assertThat(index()).contains("m 5 READY");
    assertThat(loads("m").copies().getLast().directory()).isNotEqualTo(directory);
  }
}
