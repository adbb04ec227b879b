package io.nereid.engine.model.config.text;

/**
 * A problem of a text.
 *
 * @param fails whether the text is rejected; if not, this is a warning
 * @param position where it begins
 * @param path the field that contains it
 * @param message what came and what was expected
 */
public record TextProblem(boolean fails, TextPosition position, FieldPath path, String message) {}
