package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelCall;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls that fail, and how a caller is told. */
class CallFailuresTest extends CallingModels {
  @Test
  void aFailureSaysWhoHasCalledWhat() throws IOException {
    model("outer", "inner", passingTo("inner"));
    model("inner", "", (_, results) -> results.fail(0, InferenceException.notFound("no such row")));
    open();

    assertFails(
        StatusCode.NOT_FOUND,
        "model 'outer' called model 'inner': no such row",
        () -> infer("outer", 1));
  }

  @Test
  void theFailureOfAFutureThatWasJoinedIsThatOfTheRequest() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) ->
            pass(batch.calls(0).inferAsync(call("inner", batch).build()).join(), results));
    model("inner", "", (_, results) -> results.fail(0, InferenceException.notFound("no such row")));
    open();

    assertFails(
        StatusCode.NOT_FOUND,
        "model 'outer' called model 'inner': no such row",
        () -> infer("outer", 1));
  }

  @Test
  void aCallIsValidatedAsAnyRequestAndIsNoMistakeOfTheClient() throws IOException {
    model(
        "outer",
        "inner",
        (batch, _) -> {
          ModelCall call =
              ModelCall.to("inner")
                  .input("IN", DataType.INT32, Shape.of(2), input(batch).data())
                  .build();
          batch.calls(0).infer(call);
        });
    model("inner", "", adding(1));
    open();

    assertFails(
        StatusCode.INTERNAL,
        "model 'outer' called model 'inner': [request id: r] input byte size mismatch for input 'IN'"
            + " for model 'inner'. Expected 8, got 4",
        () -> infer("outer", 1));
  }

  @Test
  void anInputIsGivenOnce() throws IOException {
    model(
        "outer",
        "inner",
        (batch, _) -> batch.calls(0).infer(call("inner", batch).input("IN", input(batch)).build()));
    model("inner", "", adding(1));
    open();

    assertFails(
        StatusCode.INTERNAL,
        "model 'outer' called model 'inner': input 'IN' is given twice",
        () -> infer("outer", 1));
  }

  @Test
  void anOutputIsAskedForOnce() throws IOException {
    model(
        "outer",
        "inner",
        (batch, _) ->
            batch.calls(0).infer(call("inner", batch).output("OUT").output("OUT").build()));
    model("inner", "", adding(1));
    open();

    assertFails(
        StatusCode.INTERNAL,
        "model 'outer' called model 'inner': output 'OUT' is asked for twice",
        () -> infer("outer", 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "OTHER | INT32 | 1 | unexpected inference input 'OTHER' for model 'inner'",
        "IN | FP32 | 1 | data-type is 'FP32', but model 'inner' expects 'INT32'",
        "IN | INT32 | 1,1 | unexpected shape for input 'IN' for model 'inner'. Expected [-1]"
      })
  void aWrongInputOfACallIsAMistakeOfTheCaller(String name, DataType type, String dims, String text)
      throws IOException {
    Shape shape = Shape.of(Stream.of(dims.split(",")).mapToLong(Long::parseLong).toArray());
    model(
        "outer",
        "inner",
        (batch, _) ->
            batch.calls(0).stream(
                    ModelCall.to("inner").input(name, type, shape, input(batch).data()).build())
                .next());
    model("inner", "", adding(1));
    open();

    assertFails(StatusCode.INTERNAL, text, () -> infer("outer", 1));
    assertFails(
        StatusCode.INTERNAL, "model 'outer' called model 'inner': ", () -> infer("outer", 1));
  }

  @Test
  void aCallThatLacksAnInputIsAMistakeOfTheCaller() throws IOException {
    model("outer", "inner", (batch, _) -> batch.calls(0).infer(ModelCall.to("inner").build()));
    model("inner", "", adding(1));
    open();

    assertFails(StatusCode.INTERNAL, "missing required input(s) ['IN']", () -> infer("outer", 1));
  }

  @Test
  void whatTheCalledModelRefusesItselfIsStillOfTheClient() throws IOException {
    model("outer", "inner", passingTo("inner"));
    model("inner", "", (_, results) -> results.fail(0, InferenceException.invalid("too long")));
    open();

    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "model 'outer' called model 'inner': too long",
        () -> infer("outer", 1));
  }

  @Test
  void inputsAreInMemoryThatEveryThreadMayRead() throws IOException {
    List<String> refusals = new CopyOnWriteArrayList<>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          Arena closed = Arena.ofShared();
          MemorySegment stale = closed.allocate(4);
          closed.close();
          try (Arena confined = Arena.ofConfined()) {
            for (MemorySegment wrong :
                List.of(stale, confined.allocate(4), MemorySegment.ofArray(new int[1]))) {
              ModelCall call =
                  ModelCall.to("inner").input("IN", DataType.INT32, Shape.of(1), wrong).build();
              try {
                batch.calls(0).infer(call);
              } catch (InferenceException refused) {
                refusals.add(refused.getMessage());
              }
            }
          }
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();
    infer("outer", 1);

    assertThat(refusals)
        .containsExactly(
            "model 'outer' called model 'inner': input 'IN' has memory that is closed, expected"
                + " memory that is open until the end",
            "model 'outer' called model 'inner': input 'IN' has memory of a confined arena, expected"
                + " memory that every thread may read",
            "model 'outer' called model 'inner': input 'IN' has memory on the Java heap, expected"
                + " native memory");
  }

  @Test
  void aModelCallsOnlyWhatItDeclares() throws IOException {
    model("outer", "inner", passingTo("other"));
    model("inner", "", adding(1));
    model("other", "", adding(1));
    open();

    assertFails(
        StatusCode.INTERNAL,
        "model 'outer' calls model 'other', which its configuration does not name in parameter"
            + " 'calls': [inner]",
        () -> infer("outer", 1));
  }

  @Test
  void aVersionThatIsNotThereIsAFailure() throws IOException {
    model(
        "outer",
        "inner",
        (batch, _) -> batch.calls(0).infer(call("inner", batch).version(3).build()));
    model("inner", "", adding(1));
    open();

    assertFails(
        StatusCode.UNAVAILABLE,
        "Request for unknown model: 'inner' version 3 is not at ready state",
        () -> infer("outer", 1));
  }

  @Test
  void aFutureFailsWithTheReason() throws IOException {
    model(
        "outer",
        "inner",
        (batch, _) -> {
          try {
            batch.calls(0).inferAsync(call("other", batch).build()).get();
          } catch (ExecutionException failed) {
            throw (InferenceException) failed.getCause();
          }
        });
    model("inner", "", adding(1));
    open();

    assertFails(StatusCode.INTERNAL, "calls model 'other'", () -> infer("outer", 1));
  }
}
