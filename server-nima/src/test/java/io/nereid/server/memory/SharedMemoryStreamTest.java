package io.nereid.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.StreamObserver;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.server.memory.RegionClient.Input;
import io.nereid.server.memory.RegionClient.Output;
import io.nereid.server.memory.RegionClient.OverGrpc;
import io.nereid.server.memory.RegionClient.Protocol;
import io.nereid.server.memory.RegionClient.Slice;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Regions of the requests of a stream, which only gRPC has. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class SharedMemoryStreamTest {
  private RegionServer regions;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    regions = new RegionServer(directory);
  }

  @AfterEach
  void stop() {
    regions.close();
  }

  @Test
  void writesEachResponseOfADecoupledModelToTheSameRegion() throws InterruptedException {
    RegionClient client = Protocol.GRPC.of(regions.server());
    regions.registered(client, "in", Samples.ints(7, 8));
    SharedMemoryObject out = regions.registered(client, "out");

    List<ModelStreamInferResponse> responses =
        stream(
            OverGrpc.request(
                "repeat",
                List.of(Input.in(new Slice("in", 0, 8), "IN", "INT32", 2)),
                List.of(
                    new Output("OUT", new Slice("out", 0, 4)),
                    new Output("IDX", new Slice("out", 4, 4)))));

    assertThat(responses).hasSize(2);
    assertThat(responses)
        .allMatch(response ->
            response.getInferResponse().getRawOutputContentsList().stream()
                .allMatch(bytes -> bytes.isEmpty()));
    assertThat(out.read(0, 8)).isEqualTo(Samples.ints(8, 1));
    client.unregister("");
    while (!client.regions().isEmpty()) {
      Thread.onSpinWait(); // the model may not have returned from the execution yet: "in" is in use
    }
  }

  @Test
  void readsTheRequestsOfASequenceOnAStreamInTheirOrder() throws InterruptedException {
    RegionClient client = Protocol.GRPC.of(regions.server());
    byte[] numbers = new byte[2 << 20];
    numbers[0] = 5;
    regions.registered(client, "in", numbers);
    SharedMemoryObject out = regions.registered(client, "out");
    List<Output> outputs = List.of(new Output("OUTPUT0", new Slice("out", 0, 4)));
    ModelInferRequest first =
        ofSequence(
            OverGrpc.request(
                "sequence_echo",
                List.of(Input.in(new Slice("in", 0, 4), "INPUT0", "INT32", 1, 1)),
                outputs),
            "sequence_start");
    ModelInferRequest tooLarge = // read by another thread, as it takes long
        OverGrpc.request(
            "sequence_echo",
            List.of(Input.in(new Slice("in", 0, numbers.length), "INPUT0", "INT32", 1, 1)),
            outputs);
    ModelInferRequest last =
        ofSequence(
            OverGrpc.request(
                "sequence_echo",
                List.of(Input.in(new Slice("in", 0, 4), "INPUT0", "INT32", 1, 1)),
                outputs),
            "sequence_end");

    List<ModelStreamInferResponse> responses = stream(first, tooLarge, last);

    assertThat(responses)
        .extracting(ModelStreamInferResponse::getErrorMessage)
        .satisfiesExactly(
            error -> assertThat(error).isEmpty(),
            error -> assertThat(error).contains("input byte size mismatch"),
            error -> assertThat(error).isEmpty());
    assertThat(out.read(0, 4)).isEqualTo(Samples.ints(5));
  }

  private static ModelInferRequest ofSequence(ModelInferRequest request, String flag) {
    return request.toBuilder()
        .putParameters("sequence_id", InferParameter.newBuilder().setInt64Param(3).build())
        .putParameters(flag, InferParameter.newBuilder().setBoolParam(true).build())
        .build();
  }

  /** Sends requests on a stream; returns all responses. */
  private List<ModelStreamInferResponse> stream(ModelInferRequest... requests)
      throws InterruptedException {
    BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(regions.server().channel())
            .modelStreamInfer(
                new StreamObserver<ModelStreamInferResponse>() {
                  @Override
                  public void onNext(ModelStreamInferResponse response) {
                    events.add(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    events.add(failure);
                  }

                  @Override
                  public void onCompleted() {
                    events.add("end");
                  }
                });
    Arrays.stream(requests).forEach(stream::onNext);
    stream.onCompleted();
    List<ModelStreamInferResponse> responses = new ArrayList<>();
    while (true) {
      Object event = events.poll(60, TimeUnit.SECONDS);
      if ("end".equals(event)) {
        return responses;
      }
      assertThat(event).isInstanceOf(ModelStreamInferResponse.class);
      responses.add((ModelStreamInferResponse) event);
    }
  }
}
