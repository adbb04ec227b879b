package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.tck.Rule;
import io.nereid.tck.gate.Execution;
import java.util.List;

/** Models without a scheduler, and rules of instances under any scheduler. */
public abstract class DefaultSchedulerVerification extends SchedulerVerification {
  @Rule("SCHED-11")
  void runsRequestsOneByOneInTheOrderInWhichTheyCame() {
    var model = load(8, "");
    model.block();
    var answers = model.submitAll(1, 1, 1, 1);

    model.open();

    assertThat(model.ids())
        .containsExactly(List.of("r1"), List.of("r2"), List.of("r3"), List.of("r4"));
    model.assertEchoed(answers);
  }

  @Rule("SCHED-12")
  void dispatchesTheNextRequestToAnIdleInstance() {
    var model = load(8, TWO_INSTANCES);
    model.submitAll(1, 1, 1);
    model.settle();
    List<Execution> two = model.executions();
    assertThat(two).extracting(Execution::instance).hasSize(2).doesNotHaveDuplicates();

    String second =
        two.stream()
            .filter(execution -> execution.ids().contains("r2"))
            .map(Execution::instance)
            .findFirst()
            .orElseThrow();
    model.gate().open(second, 1);
    model.settle();

    assertThat(model.executions()).hasSize(3);
    assertThat(model.executions().getLast().instance()).isEqualTo(second);
    assertThat(model.executions().getLast().ids()).containsExactly("r3");
  }

  @Rule("SCHED-13")
  void opensAPassiveInstanceAndNeverRunsIt() {
    var passive = "instance_group { kind: KIND_CPU count: 1 passive: true }";
    var model = load(8, ONE_INSTANCE + passive);
    var answers = model.submitAll(1, 1, 1);
    model.open();

    model.assertEchoed(answers);
    assertThat(model.gate().instances())
        .extracting(InstanceSettings::passive)
        .containsExactlyInAnyOrder(true, false);
    String active =
        model.gate().instances().stream()
            .filter(instance -> !instance.passive())
            .map(InstanceSettings::name)
            .findFirst()
            .orElseThrow();
    assertThat(model.executions()).extracting(Execution::instance).containsOnly(active).hasSize(3);
  }
}
