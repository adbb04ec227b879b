package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scale;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.Function;

/**
 * A valid request that many clients send at the same time, and that must be answered.
 *
 * @param clients how many send it
 */
public record AnsweredRequests(int clients, Function<Scale, byte[]> request)
    implements Attack.Script {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final float LONG_TEXT = -1.2345678e-12f;

  /** In binary, with a response that is asked for as JSON, which is thrice as long. */
  public static AnsweredRequests largeAnswers() {
    return new AnsweredRequests(
        16,
        scale -> {
          int floats = scale.count(8_000_000);
          var data = ByteBuffer.allocate(floats * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
          while (data.hasRemaining()) {
            data.putFloat(LONG_TEXT);
          }
          return Requests.binary(
              "identity_fp32", Requests.binaryJson("FP32", floats, ""), data.array());
        });
  }

  /**
   * A tensor of empty strings, which a runtime may need eight times the bytes for that they have.
   */
  public static AnsweredRequests strings() {
    return new AnsweredRequests(
        3,
        scale -> {
          int strings = scale.count(15_000_000);
          String json = Requests.binaryJson("BYTES", strings, "\"binary_data\":true");
          return Requests.gzipZeros("identity_bytes", json, strings);
        });
  }

  /** Numbers in JSON, which take much time to read, and the response to write. */
  public static AnsweredRequests largeJson() {
    return new AnsweredRequests(
        8, scale -> Requests.repeated("identity_fp32", "FP32", scale.count(4_000_000), "1.5"));
  }

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    byte[] sent = request.apply(scene.scale());
    var answers =
        Crowd.counted(clients, () -> SingleExchange.status(scene.target().http(), TIMEOUT, sent));
    return AttackOutcome.of(answers.toString())
        .require(
            answers.keySet().stream().allMatch(SingleExchange::isAnswer), "not all were answered");
  }
}
