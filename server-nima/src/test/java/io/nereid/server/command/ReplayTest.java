package io.nereid.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.model.config.conversion.SchedulingMessages;
import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.journal.JournalReader;
import io.nereid.engine.scheduling.journal.JournalRecord;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.JournalWriter;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.NereidCommand;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The {@code replay} command on the journal of a server. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReplayTest {
  private static final int CLIENTS = 8;
  private static final int REQUESTS = 60;
  private static final String BATCHED =
      """
      backend: "tck_echo"
      max_batch_size: 4
      input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 2 kind: KIND_CPU }
      dynamic_batching {
        preferred_batch_size: [ 2, 4 ]
        max_queue_delay_microseconds: 300
        priority_levels: 2
        default_priority_level: 2
        default_queue_policy { max_queue_size: 6 allow_timeout_override: true }
      }
      """;
  private static final String PLAIN =
      """
      backend: "tck_echo"
      input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ 1, -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ 1, -1 ] }
      """;
  private static final String SEQUENCE =
      """
      backend: "tck_echo"
      max_batch_size: 2
      input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      sequence_batching { oldest { max_candidate_sequences: 3 } }
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Path models;
  private final Path journal;

  ReplayTest(@TempDir Path directory) throws IOException {
    models = directory.resolve("models");
    journal = directory.resolve("decisions");
    for (var model : Map.of("batched", BATCHED, "plain", PLAIN, "sequence", SEQUENCE).entrySet()) {
      ModelOnDisk.of(models, model.getKey(), model.getValue());
    }
  }

  private int execute(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return NereidCommand.run(out, err, arguments);
  }

  /** Serves a few hundred concurrent requests, and writes the journal. */
  private void serve() throws Exception {
    var options = LocalServer.options(models, "--scheduler-journal=" + journal);
    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      send(server);
    }
  }

  private static void send(LocalServer server) throws Exception {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        ends.add(clients.submit(() -> overHttp(server.http(), client)));
        ends.add(clients.submit(() -> overGrpc(server.channel(), client)));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    }
  }

  private static void overHttp(URI address, int client) {
    try (var wire = new HttpWire(address)) {
      for (int i = 0; i < REQUESTS; i++) {
        String model = i % 3 == 0 ? "plain" : "batched";
        int size = 1 + (client + i) % 2;
        String json =
            "{\"id\":\"h%d-%d\",\"parameters\":{\"priority\":%d,\"timeout\":%d},\"inputs\":[{"
                    .formatted(client, i, i % 3, i % 5 == 0 ? 1 : 0)
                + "\"name\":\"INPUT0\",\"datatype\":\"UINT8\",\"shape\":[1,%d],\"data\":[%s]}]}"
                    .formatted(size, size == 1 ? "7" : "7,8");
        int status =
            wire.send("POST", "/v2/models/" + model + "/infer", json.getBytes(UTF_8), Map.of())
                .status();
        assertThat(status).isIn(200, 429, 503);
      }
    }
  }

  private static void overGrpc(ManagedChannel channel, int client) {
    for (int i = 0; i < REQUESTS; i++) {
      var request = ModelInferRequest.newBuilder().setId("g" + client + "-" + i);
      request.setModelName("sequence");
      request.putParameters(
          "sequence_id", InferParameter.newBuilder().setInt64Param(client + 1).build());
      request.putParameters(
          "sequence_start", InferParameter.newBuilder().setBoolParam(i % 5 == 0).build());
      request.putParameters(
          "sequence_end", InferParameter.newBuilder().setBoolParam(i % 5 == 4).build());
      request.addInputsBuilder().setName("INPUT0").setDatatype("UINT8").addShape(1).addShape(3);
      request.addRawInputContents(ByteString.copyFrom(new byte[3]));
      try {
        var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
        if (i % 7 == 3) {
          stub = stub.withDeadlineAfter(200, TimeUnit.MICROSECONDS);
        }
        assertThat(stub.modelInfer(request.build()).getId()).isEqualTo(request.getId());
      } catch (StatusRuntimeException rejected) {
        assertThat(rejected.getStatus().getCode())
            .isIn(
                Status.Code.DEADLINE_EXCEEDED,
                Status.Code.CANCELLED,
                Status.Code.INVALID_ARGUMENT,
                Status.Code.RESOURCE_EXHAUSTED,
                Status.Code.UNAVAILABLE);
      }
    }
  }

  @Test
  void aReplayRepeatsTheDecisionsOfAServer() throws Exception {
    serve();

    assertThat(execute("replay", journal.toString())).as("%s%s", out, err).isZero();
    assertThat(out.toString())
        .contains("batched version 1 (dynamic batching, preferred sizes [2, 4]")
        .contains("sequence version 1 (sequences, oldest first")
        .contains("plain version 1 (no batching")
        .contains(" 'h0-0' arrived")
        .contains(" 'g0-0' arrived")
        .contains("-> batch of ")
        .doesNotContain("DIFFERS")
        .doesNotContain("not closed");

    assertThat(execute("replay", "--quiet", "--model=plain", journal.toString())).isZero();
    assertThat(out.toString())
        .contains("plain version 1", "160 requests")
        .doesNotContain("arrived", "batched");
  }

  @Test
  void exitsWith1WhenADecisionDiffers() throws Exception {
    serve();
    List<JournalRecord> records = new ArrayList<>();
    try (var reader = JournalReader.open(journal, SchedulingRecords::record)) {
      for (JournalRecord next = reader.next(); next != null; next = reader.next()) {
        records.add(next);
      }
    }
    try (var changed = Files.newOutputStream(journal)) {
      var writer = new JournalWriter(changed, SchedulingMessages::message);
      for (JournalRecord record : records) {
        writer.write(
            record instanceof Decision(int scheduler, var entries, long wake)
                ? new Decision(scheduler, entries.stream().map(ReplayTest::changed).toList(), wake)
                : record);
      }
      writer.flush();
    }

    assertThat(execute("replay", "--quiet", journal.toString())).isEqualTo(1);
    assertThat(out.toString())
        .containsPattern("#\\d+ (plain|sequence) version 1: DIFFERS")
        .containsPattern("recorded: Dispatched\\[instance=\\d+, reason=STRATEGY, tickets=.*]")
        .containsPattern("replayed: Dispatched\\[instance=\\d+, reason=NO_DELAY, tickets=.*]");
  }

  private static Entry changed(Entry entry) {
    return entry instanceof Entry.Dispatched(int instance, var reason, var tickets)
            && reason == DispatchReason.NO_DELAY
        ? new Entry.Dispatched(instance, DispatchReason.STRATEGY, tickets)
        : entry;
  }

  @Test
  void exitsWith2WhenTheFileIsNoJournal() throws IOException {
    assertThat(execute("replay", journal.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("cannot replay '" + journal, "no such file or directory");

    Files.writeString(journal, "something else");
    assertThat(execute("replay", journal.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("it is not a journal of a scheduler");

    assertThat(execute("replay")).isEqualTo(2);
    assertThat(err.toString()).contains("Missing required parameter: '<file>'");
  }
}
