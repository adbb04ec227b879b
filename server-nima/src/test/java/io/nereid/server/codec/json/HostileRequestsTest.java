package io.nereid.server.codec.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.nereid.config.ModelConfig;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.Failures;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.Bodies;
import io.nereid.server.codec.json.control.RegionRequestReader;
import io.nereid.server.codec.json.control.TraceSettingsJson;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Large documents of requests: what they take on the heap, and how they are refused. */
class HostileRequestsTest {
  private static final int MAX_INPUT_SIZE = 64 << 20;

  /** The characters of what is too long or too many in a document. */
  private static final int LARGE = 4 << 20;

  /** What reading a document may allocate on the heap. */
  private static final long HEAP = 4 << 20;

  @RegisterExtension private final Bodies bodies = new Bodies();

  /**
   * A document.
   *
   * @param json where {@code @} stands for what is repeated
   * @param error a part of what it is refused with
   */
  record Hostile(String name, String json, String repeated, String error) {
    byte[] body() {
      return json.replace("@", repeated.repeat(LARGE / repeated.length())).getBytes(UTF_8);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final String REST = "," + Bodies.INPUTS + "}";

  private static final String INPUT =
      "{\"inputs\":[{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"data\":[1]}]}";

  static final List<Hostile> INFERENCES =
      List.of(
          new Hostile("inputs", "{\"inputs\":[@null]}", "null,", "more than 4096 inputs"),
          new Hostile("input numbers", "{\"inputs\":[@1]}", "1,", "more than 4096 inputs"),
          new Hostile("input objects", "{\"inputs\":[@{}]}", "{},", "objects and members"),
          new Hostile("outputs", "{\"outputs\":[@null]" + REST, "null,", "more than 4096 outputs"),
          new Hostile("id", "{\"id\":\"@\"" + REST, "i", "the id of the request has"),
          new Hostile("escaped id", "{\"id\":\"@\"" + REST, "\\u00e9", "the id of the request has"),
          new Hostile("members", "{@\"id\":\"1\"" + REST, "\"m\":1,", "objects and members"),
          new Hostile("member", "{\"@\":1" + REST, "\\u0069", ""),
          new Hostile("name", INPUT.formatted("@", "INT8", "[1]"), "n", "the name of an input has"),
          new Hostile("type", INPUT.formatted("A", "@", "[1]"), "t", "the datatype of an input"),
          new Hostile(
              "shape", INPUT.formatted("A", "INT8", "[@1]"), "1,", "more than 64 dimensions"),
          new Hostile(
              "output", "{\"outputs\":[{\"name\":\"@\"}]" + REST, "o", "the name of an output has"),
          new Hostile(
              "region",
              "{\"outputs\":[{\"name\":\"o\",\"parameters\":{\"shared_memory_region\":\"@\"}}]"
                  + REST,
              "r",
              "the name of a region has"),
          new Hostile(
              "parameters", "{\"parameters\":{@\"p\":1}" + REST, "\"p\":1,", "objects and members"),
          new Hostile(
              "parameter", "{\"parameters\":{\"@\":1}" + REST, "k", "among the parameters has"),
          new Hostile(
              "text", "{\"parameters\":{\"k\":\"@\"}" + REST, "v", "the value of a parameter has"),
          new Hostile(
              "sequence",
              "{\"parameters\":{\"sequence_id\":\"@\"}" + REST,
              "s",
              "the sequence_id has"));

  static final List<Hostile> GENERATIONS =
      List.of(
          new Hostile("id", "{\"id\":\"@\"}", "i", "the id of the request has"),
          new Hostile("parameter", "{\"@\":1}", "k", "inputs and parameters has"),
          new Hostile("text", "{\"k\":\"@\"}", "v", "the value of a parameter has"),
          new Hostile(
              "nested", "{\"parameters\":{\"k\":\"@\"}}", "v", "the value of a parameter has"));

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  /** Reads a document, and returns how it was refused; empty if it was not. */
  private String read(Hostile hostile, Function<Lease, DecodedRequest> reader) {
    bodies.assertRejected( // what a failure allocates once
        StatusCode.INVALID_ARGUMENT,
        "the request has more than 64 dimensions of an input, which is the limit",
        Bodies.input("INT8", "[" + "1,".repeat(64) + "1]", "[1]"));
    Lease body = bodies.lease(hostile.body());
    long before = allocated();
    String error = "";
    try (DecodedRequest read = reader.apply(body)) {
      assertThat(read.inputs()).hasSize(1);
    } catch (InferenceException refused) {
      error = refused.getMessage();
      assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
    assertThat(allocated() - before).as("bytes on the heap").isLessThan(HEAP);
    assertThat(error.length()).isLessThan(200);
    return error;
  }

  @ParameterizedTest
  @FieldSource("INFERENCES")
  void anInferenceIsRefusedBeforeItTakesHeap(Hostile hostile) {
    var reader = new JsonRequestReader(MAX_INPUT_SIZE, SharedRegions.NONE);

    String error =
        read(
            hostile, body -> reader.read(body, body.segment().byteSize(), "m", false, bodies.pool));

    assertThat(error).contains(hostile.error);
  }

  @ParameterizedTest
  @FieldSource("GENERATIONS")
  void aGenerationIsRefusedBeforeItTakesHeap(Hostile hostile) {
    var reader = new GenerateRequestReader(MAX_INPUT_SIZE);

    String error =
        read(hostile, body -> reader.read(body, ModelConfig.of("m", "b"), false, bodies.pool));

    assertThat(error).contains(hostile.error);
  }

  @Test
  void parametersAreRefusedByTheirSum() {
    String text = "v".repeat(40_000);
    byte[] body =
        "{\"parameters\":{\"a\":\"%s\",\"b\":\"%s\"}%s".formatted(text, text, REST).getBytes(UTF_8);
    var reader = new JsonRequestReader(MAX_INPUT_SIZE, SharedRegions.NONE);

    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "the request has more than 65536 bytes of parameters, which is the limit",
        () -> reader.read(bodies.lease(body), body.length, "m", false, bodies.pool));
  }

  @Test
  void textsOfSettingsAndRegionsAreNotSentBack() {
    String text = "v".repeat(60_000);
    List<Consumer<MemorySegment>> readers =
        List.of(TraceSettingsJson::change, RegionRequestReader::system);
    byte[] body = "{\"trace_rate\":\"%s\",\"key\":\"%s\"}".formatted(text, text).getBytes(UTF_8);

    for (Consumer<MemorySegment> reader : readers) {
      try (Lease lease = bodies.lease(body)) {
        assertThatExceptionOfType(InferenceException.class)
            .isThrownBy(() -> reader.accept(lease.segment()))
            .withMessageContaining("has 60000 bytes, but may have 1024 at most: 'vvvv")
            .satisfies(refused -> assertThat(refused.getMessage().length()).isLessThan(200));
      }
    }
  }
}
