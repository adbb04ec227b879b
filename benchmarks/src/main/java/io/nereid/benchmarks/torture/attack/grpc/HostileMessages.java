package io.nereid.benchmarks.torture.attack.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scale;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RepeatedBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Messages that are well-formed and make much of the reader's memory or stack. Each call must be
 * answered.
 *
 * @param clients how many send each message at the same time
 */
public record HostileMessages(int clients, List<Message> messages) implements Attack.Script {
  private static final byte GROUP_BEGIN = 15 << 3 | 3;
  private static final byte GROUP_END = 15 << 3 | 4;

  /**
   * A message, and how it is sent.
   *
   * @param packed whether as gzip
   * @param allowed whether the server may answer with OK
   */
  public record Message(
      String name,
      String method,
      Function<Scale, RepeatedBytes> bytes,
      boolean packed,
      boolean allowed) {}

  public static List<Attack> all() {
    return List.of(
        Attack.onMemory(
            "grpc-many-contents",
            "a BYTES tensor of 20,000,000 strings of a byte, as gzip of 60 KB and as it is",
            new HostileMessages(
                2,
                List.of(
                    new Message("packed", "ModelInfer", HostileMessages::contents, true, true),
                    new Message("plain", "ModelInfer", HostileMessages::contents, false, true)))),
        Attack.onMemory(
            "grpc-nested",
            "groups within groups, 20,000 deep, in messages of three methods",
            new HostileMessages(
                4,
                List.of(
                    new Message("ModelInfer", "ModelInfer", HostileMessages::groups, false, true),
                    new Message("packed", "ModelInfer", HostileMessages::groups, true, true),
                    new Message("ServerLive", "ServerLive", HostileMessages::groups, false, true),
                    new Message(
                        "load", "RepositoryModelLoad", HostileMessages::groups, false, false)))),
        Attack.onMemory(
            "grpc-large-live",
            "ServerLive and ModelReady with messages of 100 MB",
            new HostileMessages(
                1,
                List.of(
                    new Message("ServerLive", "ServerLive", HostileMessages::filler, false, false),
                    new Message(
                        "ModelReady", "ModelReady", HostileMessages::filler, false, false)))));
  }

  /** A tensor for {@code identity_bytes} in {@code bytes_contents}. */
  static RepeatedBytes contents(Scale scale) {
    int count = scale.count(20_000_000);
    byte[] string = {8 << 3 | 2, 1, 'a'};
    byte[] input =
        fields(out -> {
          out.writeString(1, "INPUT0");
          out.writeString(2, "BYTES");
          out.writeInt64(3, count);
          writeHead(out, 5, string.length * count);
        });
    byte[] begin =
        fields(out -> {
          out.writeString(1, "identity_bytes");
          writeHead(out, 5, input.length + string.length * count);
          out.writeRawBytes(input);
        });
    return new RepeatedBytes(begin, string, count, new byte[0]);
  }

  /** Groups of a field that no message has. */
  private static RepeatedBytes groups(Scale scale) {
    int depth = scale.count(20_000);
    byte[] end = new RepeatedBytes(new byte[0], new byte[] {GROUP_END}, depth, new byte[0]).bytes();
    return new RepeatedBytes(new byte[0], new byte[] {GROUP_BEGIN}, depth, end);
  }

  /** A field that no message has. */
  private static RepeatedBytes filler(Scale scale) {
    int count = scale.count(100_000_000);
    // not below what a small limit may be, at any scale
    int byteSize = Math.max(count, 2 << 20);
    return new RepeatedBytes(
        fields(out -> writeHead(out, 15, byteSize)), new byte[1], byteSize, new byte[0]);
  }

  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  private static byte[] fields(Fields fields) {
    var bytes = new ByteArrayOutputStream();
    var out = CodedOutputStream.newInstance(bytes);
    try {
      fields.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Writes the tag and the length of a field of {@code byteSize} bytes. */
  private static void writeHead(CodedOutputStream out, int field, int byteSize) throws IOException {
    out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.writeUInt32NoTag(byteSize);
  }

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    List<String> answers = new ArrayList<>();
    List<String> violations = new ArrayList<>();
    for (Message message : messages) {
      var bytes = message.bytes().apply(scene.scale());
      byte[] sent = message.packed() ? bytes.gzip() : bytes.bytes();
      try (var calls = RawCalls.open(scene.target().grpc())) {
        var codes =
            Crowd.counted(clients, () -> calls.answer(message.method(), sent, message.packed()));
        answers.add(message.name() + " " + codes);
        if (!codes.keySet().stream().allMatch(RawCalls::isAnswer)) {
          violations.add(message.name() + ": a call was not answered: " + codes);
        }
        if (!message.allowed() && codes.containsKey("OK")) {
          violations.add(message.name() + ": a call was answered with OK");
        }
      }
    }
    return new AttackOutcome(String.join("; ", answers), violations);
  }
}
