package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.Tensors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A model under test with its gate. A <em>blocker</em> is a request that the gate holds, so that
 * others queue behind it; the accessors of executions leave blockers out.
 */
public final class GatedModel {
  private static final String BLOCKER = "blocker";
  private static final long FIXED_DIM = 16;

  private final String name;
  private final SchedulerUnderTest tested;
  private final SchedulerModel model;
  private final Gate gate;
  private final int maxBatchSize;
  private final List<TestResponse> answers = new ArrayList<>();

  GatedModel(String name, SchedulerUnderTest tested, SchedulerModel model, int maxBatchSize) {
    this.name = name;
    this.tested = tested;
    this.model = model;
    this.gate = Gate.of(name);
    this.maxBatchSize = maxBatchSize;
  }

  public String name() {
    return name;
  }

  public Gate gate() {
    return gate;
  }

  /** A request of so many rows whose {@code IN0} is of the fixed size. */
  public TestRequest request(String id, long rows) {
    float value = answers.size() + 1; // a different value for each, so that swapped rows show
    return maxBatchSize == 0
        ? TestRequest.of(id, TestRequest.fp32("IN0", value, FIXED_DIM))
        : TestRequest.of(id, TestRequest.fp32("IN0", value, rows, FIXED_DIM));
  }

  public TestResponse submit(TestRequest request) {
    TestResponse answer = model.submit(request);
    answers.add(answer);
    return answer;
  }

  /** Submits a request of one row. */
  public TestResponse submit(String id) {
    return submit(id, 1);
  }

  /** Submits a request of so many rows. */
  public TestResponse submit(String id, long rows) {
    return submit(request(id, rows));
  }

  /** Submits requests with these rows, called {@code r1}, {@code r2} and so on. */
  public List<TestResponse> submitAll(long... rows) {
    List<TestResponse> submitted = new ArrayList<>();
    for (long each : rows) {
      submitted.add(submit("r" + (submitted.size() + 1), each));
    }
    return submitted;
  }

  /** Submits a request that fills a batch, so that it starts at once, and waits until it has. */
  public TestResponse block() {
    return block(request("", Math.max(1, maxBatchSize)));
  }

  /** Submits a request as a blocker; it must start at once. */
  public TestResponse block(TestRequest request) {
    int begun = gate.executions().size();
    var blocker = new TestRequest(BLOCKER + begun, request.inputs(), List.of(), request.options());
    TestResponse answer = submit(blocker);
    gate.awaitBegun(begun + 1);
    return answer;
  }

  /** Opens the gate permanently, and waits until the scheduler has settled. */
  public void open() {
    gate.openAll();
    settle();
  }

  public void settle() {
    tested.settle();
  }

  /** Advances the clock, and waits until the scheduler has settled. */
  public void advance(Duration time) {
    tested.advance(time);
    settle();
  }

  /** The model's statistics; exact once the scheduler has settled. */
  public Statistics statistics() {
    return model.statistics();
  }

  /** All responses, in the order of the requests. */
  public List<TestResponse> answers() {
    return List.copyOf(answers);
  }

  /** The rows of each execution so far. */
  public List<Long> rows() {
    return executions().stream().map(Execution::rows).toList();
  }

  /** The ids of the requests of each execution so far. */
  public List<List<String>> ids() {
    return executions().stream().map(Execution::ids).toList();
  }

  /** The executions so far. */
  public List<Execution> executions() {
    return gate.executions().stream()
        .filter(execution -> execution.ids().stream().noneMatch(id -> id.startsWith(BLOCKER)))
        .toList();
  }

  /** Whether each request got one response, with its own rows in it. */
  public void assertEchoed(List<TestResponse> echoed) {
    for (TestResponse answer : echoed) {
      assertThat(answer.await().failure()).as(answer::toString).isEmpty();
      assertThat(answer.responses()).as(answer::toString).hasSize(1);
      var input = answer.request().inputs().getFirst();
      var output = Tensors.named(answer.responses().getFirst(), "OUT0");
      assertThat(output.shape()).as(answer::toString).isEqualTo(input.shape());
      assertThat(output.data().mismatch(input.data())).as(answer::toString).isEqualTo(-1);
    }
  }
}
