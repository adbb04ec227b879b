package io.nereid.engine.model.lint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.nereid.engine.model.config.text.ConfigText;
import io.nereid.engine.model.config.text.ConfigTextReader;
import io.nereid.protocol.config.ModelConfig;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletedConfigTest {
  /** Any configuration, also one with strings that need escapes and values of no enum. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void theTextIsReadAsTheSameConfiguration(int seed) {
    var random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      ModelConfig config = (ModelConfig) fill(ModelConfig.newBuilder(), random);
      String text = CompletedConfig.text(config);

      ConfigText read = ConfigTextReader.read(text.getBytes(UTF_8));

      assertThat(read.problems()).as("seed %d:%n%s", seed, text).isEmpty();
      assertThat(read.message()).as("seed %d", seed).isEqualTo(config);
      assertThat(CompletedConfig.text(read.message())).isEqualTo(text);
    }
  }

  private static Message fill(Message.Builder message, Random random) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      boolean inMap = message.getDescriptorForType().getOptions().getMapEntry();
      if (field.isRepeated()) {
        int count = field.isMapField() ? random.nextInt(2) : random.nextInt(3);
        for (int i = 0; i < count; i++) {
          message.addRepeatedField(field, value(message, field, random));
        }
      } else if (inMap || (field.getContainingOneof() == null && random.nextBoolean())) {
        message.setField(field, value(message, field, random));
      } else if (field.getContainingOneof() != null
          && random.nextInt(3) == 0
          && !message.hasOneof(field.getContainingOneof())) {
        message.setField(field, value(message, field, random));
      }
    }
    return message.build();
  }

  private static Object value(Message.Builder message, FieldDescriptor field, Random random) {
    return switch (field.getJavaType()) {
      case INT -> random.nextInt();
      case LONG -> random.nextLong();
      case FLOAT -> random.nextBoolean() ? random.nextFloat() * 1e9f : Float.NEGATIVE_INFINITY;
      case DOUBLE -> random.nextGaussian();
      case BOOLEAN -> random.nextBoolean();
      case STRING -> string(random);
      case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(random.nextInt(6));
      case MESSAGE -> fill(message.newBuilderForField(field), random);
      case BYTE_STRING -> throw new AssertionError("not in the schema: " + field);
    };
  }

  private static String string(Random random) {
    String letters = "ab\"'\\\n\t\u0001#{}:ü\u20AC\uD83D\uDE00";
    var text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      int at =
          letters.offsetByCodePoints(
              0, random.nextInt(letters.codePointCount(0, letters.length())));
      text.appendCodePoint(letters.codePointAt(at));
    }
    return text.toString();
  }
}
