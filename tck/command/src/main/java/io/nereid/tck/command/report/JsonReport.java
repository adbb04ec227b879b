package io.nereid.tck.command.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.nereid.tck.support.WireMessage;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * A run as JSON: {@code format}, {@code kit}, {@code start}, {@code millis}, {@code server} and
 * {@code rules}, each with its {@code cases}. Messages, with their bytes in Base64, are those of
 * failed cases and of the first that passed.
 */
public final class JsonReport {
  /** The number of the format, in the member {@code format}. */
  public static final int FORMAT = 1;

  /** The last of a failed case; what came before them is omitted. */
  private static final int MAX_MESSAGES = 8;

  /** Failed cases of a rule beyond these have no messages. */
  private static final int MAX_CASES_WITH_MESSAGES = 12;

  private static final int MAX_BYTES_OF_PASSED = 1024;

  private final JsonGenerator json;

  private JsonReport(JsonGenerator json) {
    this.json = json;
  }

  public static String of(RunReport report) {
    var text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.useDefaultPrettyPrinter();
      new JsonReport(json).write(report);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return text.append('\n').toString();
  }

  private void write(RunReport report) throws IOException {
    json.writeStartObject();
    json.writeNumberField("format", FORMAT);
    json.writeStringField("kit", report.kit());
    json.writeStringField("start", report.start().toString());
    json.writeNumberField("millis", report.millis());
    json.writeBooleanField("conforms", report.conforms());
    json.writeStringField("sentence", report.sentence());
    json.writeObjectFieldStart("server");
    json.writeStringField("name", report.server().name());
    json.writeStringField("version", report.server().version());
    json.writeStringField("address", report.server().address());
    json.writeFieldName("extensions");
    String[] extensions = report.server().extensions().toArray(String[]::new);
    json.writeArray(extensions, 0, extensions.length);
    json.writeEndObject();
    json.writeArrayFieldStart("rules");
    for (RuleResult rule : report.rules()) {
      write(rule);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void write(RuleResult result) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", result.rule().id());
    json.writeStringField("area", result.area());
    json.writeStringField("level", result.rule().level().name().toLowerCase(Locale.ROOT));
    json.writeStringField("sentence", result.rule().sentence());
    json.writeStringField("source", result.rule().source());
    json.writeStringField("verdict", result.verdict().word());
    json.writeStringField("reason", result.reason());
    json.writeArrayFieldStart("cases");
    int left = MAX_CASES_WITH_MESSAGES;
    boolean isFirst = true;
    for (CaseResult each : result.cases()) {
      boolean isFailed = each.verdict() == Verdict.FAILED;
      write(each, isFailed ? left-- > 0 : isFirst && each.verdict() == Verdict.PASSED);
      isFirst = false;
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void write(CaseResult result, boolean withMessages) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", result.name());
    json.writeStringField("verdict", result.verdict().word());
    json.writeNumberField("millis", result.millis());
    if (!result.reason().isEmpty()) {
      json.writeStringField("reason", result.reason());
    }
    if (result.failure().isPresent()) {
      Failure failure = result.failure().get();
      json.writeStringField("message", failure.message());
      json.writeStringField("expected", failure.expected());
      json.writeStringField("actual", failure.actual());
      json.writeStringField("place", failure.place());
    }
    if (withMessages) {
      writeMessages(result);
    }
    json.writeEndObject();
  }

  private void writeMessages(CaseResult result) throws IOException {
    boolean isFailed = result.verdict() == Verdict.FAILED;
    List<WireMessage> all = result.messages();
    int first = isFailed ? Math.max(0, all.size() - MAX_MESSAGES) : 0;
    int end = isFailed ? all.size() : Math.min(2, all.size());
    json.writeNumberField("omitted", all.size() - (end - first));
    json.writeArrayFieldStart("messages");
    for (WireMessage message : all.subList(first, end)) {
      write(message, isFailed ? WireMessage.MAX_BYTES : MAX_BYTES_OF_PASSED);
    }
    json.writeEndArray();
  }

  private void write(WireMessage message, int maxBytes) throws IOException {
    byte[] bytes = message.bytes();
    byte[] kept = Arrays.copyOf(bytes, Math.min(bytes.length, maxBytes));
    json.writeStartObject();
    json.writeBooleanField("sent", message.isSent());
    json.writeStringField("call", WireMessage.limited(message.call()));
    json.writeStringField("bytes", Base64.getEncoder().encodeToString(kept));
    json.writeNumberField("size", message.byteSize());
    json.writeStringField("text", message.text());
    json.writeEndObject();
  }
}
