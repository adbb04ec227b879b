package io.nereid.engine.model.config.text;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.nereid.engine.model.config.text.Token.Kind;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A recursive-descent parser of protobuf's text format that goes on after a problem:
 *
 * <ul>
 *   <li>a misspelled field or value is read as the one that was meant, if that is clear;
 *   <li>a wrong or missing sign, such as a comma, is replaced;
 *   <li>else the text up to the next line that begins with a field is skipped.
 * </ul>
 *
 * Recursion is as deep as the schema, since fields that the schema lacks are skipped.
 */
final class TextParser {
  private final SourceText source;
  private final TokenCursor cursor;
  private final TextProblems problems;
  private final MessageEnds ends;

  /** Whether the text is JSON, of which that is the only problem to report. */
  private boolean json;

  TextParser(SourceText source, TextProblems problems) {
    this.source = source;
    this.cursor = new TokenCursor(Tokenizer.tokens(source, problems));
    this.problems = problems;
    this.ends = new MessageEnds(source, cursor, problems);
  }

  /** Reads the whole text into a message. */
  FieldPositions parse(Message.Builder message) {
    var positions = new FieldPositions(0);
    var root = new Scope(null, message, positions, FieldPath.ROOT, null);
    if (cursor.peek().is('{')) {
      json = cursor.peek(1).is(Kind.STRING);
      problems.skipped(
          cursor.peek().begin(),
          FieldPath.ROOT,
          json
              ? "this is JSON; config.pbtxt is in protobuf's text format, without quotes around"
                  + " names and braces around the whole"
              : "the configuration has no braces around it");
      fields(new Scope(null, message, positions, FieldPath.ROOT, cursor.enter()));
      cursor.leave();
    }
    fields(root);
    return positions;
  }

  /** Reads fields up to the bracket that closes the message, and goes behind it. */
  private void fields(Scope scope) {
    while (!problems.isFull()) {
      if (ends.ends(scope)) {
        return;
      }
      Token token = cursor.peek();
      if (token.is(',') || token.is(';')) {
        problems.error(token.begin(), scope.path(), "expected a field, got " + token.shown());
        cursor.next();
      } else {
        field(scope);
      }
    }
  }

  private void field(Scope scope) {
    Token token = cursor.peek();
    if (!token.is(Kind.NAME) && !(token.is(Kind.STRING) && cursor.peek(1).is(':'))) {
      problems.skipped(token.begin(), scope.path(), notAField(scope, token));
      cursor.skipValue();
      cursor.recover();
      return;
    }
    cursor.next();
    String name = token.text();
    if (token.is(Kind.STRING)) {
      name = name.replaceAll("^[\"']|[\"']$", "");
    }
    FieldDescriptor field = scope.type().findFieldByName(name);
    if (field == null) {
      field = meant(scope, token, name);
    } else if (token.is(Kind.STRING) && !json) {
      problems.error(
          token.begin(),
          scope.path(),
          "expected the field %s without quotes, got %s".formatted(name, token.shown()));
    }
    if (field == null) {
      skipField();
    } else {
      value(scope, field, token);
    }
    if (!cursor.skip(',')) {
      cursor.skip(';');
    }
  }

  private static String notAField(Scope scope, Token token) {
    String message = "expected a field of %s, got %s".formatted(scope.shown(), token.shown());
    return token.is(Kind.NUMBER) ? message + "; several values are a list: [ 1, 2 ]" : message;
  }

  /** Reports a field that the message does not have, and returns the one that was meant. */
  private @Nullable FieldDescriptor meant(Scope scope, Token token, String name) {
    if (json && scope.type().getOptions().getMapEntry()) {
      return null;
    }
    UnknownField unknown = UnknownField.of(scope, name);
    problems.error(token.begin(), scope.path().field(unknown.shown()), unknown.message());
    return unknown.meant().map(scope.type()::findFieldByName).orElse(null);
  }

  private void skipField() {
    if (cursor.skip(':') || cursor.skip('=') || cursor.peek().opens()) {
      cursor.skipValue();
    }
    if (!cursor.atField()) {
      cursor.recoverInLine();
    }
  }

  private void value(Scope scope, FieldDescriptor field, Token name) {
    FieldPath path = path(scope, field);
    boolean isMessage = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
    boolean separated = cursor.skip(':');
    Token token = cursor.peek();
    if (token.is('=')) {
      problems.error(
          token.begin(), path, "expected ':' after '%s', got '='".formatted(field.getName()));
      separated = true;
      cursor.next();
    }
    if (isMissing(separated)) {
      problems.skipped(name.begin(), path, "'%s' has no value".formatted(field.getName()));
      return;
    }
    if (!separated && !isMessage) {
      problems.error(
          cursor.peek().begin(),
          path,
          "expected ':' after '%s', got %s".formatted(field.getName(), cursor.peek().shown()));
    }
    boolean stored = !isSetAlready(scope, field, name, path);
    if (field.isRepeated()) {
      scope.positions().put(field.getName(), listPositions(scope, field, name.begin()));
    }
    if (cursor.peek().is('[')) {
      list(scope, field, stored);
    } else {
      element(scope, field, name.begin(), stored);
    }
  }

  private static FieldPath path(Scope scope, FieldDescriptor field) {
    return scope.path().field(field.getName());
  }

  private static FieldPositions listPositions(Scope scope, FieldDescriptor field, int offset) {
    FieldPositions known = scope.positions().get(field.getName());
    return known == null ? new FieldPositions(offset) : known;
  }

  /** Whether the next token begins no value but ends the message or begins another field. */
  private boolean isMissing(boolean separated) {
    Token token = cursor.peek();
    return token.is(Kind.END)
        || token.closes()
        || token.is(',')
        || token.is(';')
        || (cursor.atLineBegin() && cursor.atField() && !token.opens())
        || (!separated && cursor.atLineBegin() && !token.opens());
  }

  private boolean isSetAlready(Scope scope, FieldDescriptor field, Token name, FieldPath path) {
    if (field.isRepeated()) {
      return false;
    }
    FieldDescriptor other = field;
    OneofDescriptor oneof = field.getContainingOneof();
    if (oneof != null && scope.message().hasOneof(oneof)) {
      other = Objects.requireNonNull(scope.message().getOneofFieldDescriptor(oneof));
    } else if (!scope.message().hasField(field)) {
      return false;
    }
    var first =
        scope.positions().find(FieldPath.of(other.getName())).map(source::position).orElseThrow();
    problems.error(
        name.begin(),
        path,
        other.equals(field)
            ? "'%s' is set already at %s".formatted(field.getName(), first)
            : "'%s' and '%s' at %s exclude each other"
                .formatted(field.getName(), other.getName(), first));
    return true;
  }

  private void list(Scope scope, FieldDescriptor field, boolean stored) {
    Token open = cursor.enter();
    FieldPath path = path(scope, field);
    if (!field.isRepeated()) {
      problems.error(
          open.begin(), path, "'%s' has one value, got a list".formatted(field.getName()));
    }
    boolean commaReported = false;
    boolean stores = stored;
    while (!problems.isFull() && !ends.ends(open, path)) {
      element(scope, field, cursor.peek().begin(), stores);
      stores &= field.isRepeated();
      Token behind = cursor.peek();
      if (cursor.skip(',')) {
        if (cursor.peek().is(']')) {
          problems.error(behind.begin(), path, "expected a value after the last ',' of the list");
        }
      } else if (!behind.is(']')
          && !behind.is(Kind.END)
          && !behind.closes()
          && !(cursor.hasUnclosed() && cursor.atField())) {
        if (!commaReported) {
          problems.error(behind.begin(), path, "expected ',' or ']', got " + behind.shown());
          commaReported = true;
        }
        cursor.skip(';');
      }
    }
    cursor.leave();
  }

  /**
   * Reads one value, of a list or alone.
   *
   * @param offset where the field is: its name, or the element of a list
   */
  private void element(Scope scope, FieldDescriptor field, int offset, boolean stored) {
    if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
      message(scope, field, offset, stored);
      return;
    }
    int index = field.isRepeated() ? scope.message().getRepeatedFieldCount(field) : 0;
    Supplier<FieldPath> path =
        () ->
            field.isRepeated() ? scope.path().element(field.getName(), index) : path(scope, field);
    Optional<Object> value = new ScalarValue(cursor, problems, field, path, json).read();
    if (stored && field.isRepeated()) {
      listPositions(scope, field, offset).addElement(offset);
      // An element that cannot be told keeps its place, so that the others keep their indices.
      scope.message().addRepeatedField(field, value.orElseGet(() -> Schema.defaultOf(field)));
    } else if (stored) {
      scope.positions().put(field.getName(), new FieldPositions(offset));
      value.ifPresent(known -> scope.message().setField(field, known));
    }
  }

  private void message(Scope scope, FieldDescriptor field, int offset, boolean stored) {
    int count = field.isRepeated() ? scope.message().getRepeatedFieldCount(field) : 0;
    FieldPath path =
        field.isRepeated() ? scope.path().element(field.getName(), count) : path(scope, field);
    Token open = cursor.peek();
    if (!open.is('{') && !open.is('<')) {
      problems.skipped(
          open.begin(),
          path,
          "expected '{' and fields of '%s', got %s".formatted(field.getName(), open.shown())
              + Schema.example(field));
      cursor.skipValue();
      cursor.recover();
      return;
    }
    var positions = new FieldPositions(offset);
    Message.Builder message = scope.message().newBuilderForField(field);
    fields(new Scope(scope, message, positions, path, cursor.enter()));
    cursor.leave();
    if (!stored) {
      return;
    }
    if (!field.isRepeated()) {
      scope.message().setField(field, message.build());
      scope.positions().put(field.getName(), positions);
      return;
    }
    scope.message().addRepeatedField(field, message.build());
    String segment = field.getName() + "[" + count + "]";
    if (field.isMapField()) {
      Object key = message.getField(message.getDescriptorForType().findFieldByName("key"));
      segment = FieldPath.ROOT.entry(field.getName(), key).toString();
      if (scope.positions().get(segment) != null) {
        problems.warning(
            offset, path, "the key of %s is given twice; the last entry counts".formatted(segment));
      }
    }
    scope.positions().put(segment, positions);
  }
}
