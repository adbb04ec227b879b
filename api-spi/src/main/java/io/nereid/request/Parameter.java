package io.nereid.request;

/** The value of a parameter of a request or response. */
public sealed interface Parameter {
  record OfString(String value) implements Parameter {}

  record OfLong(long value) implements Parameter {}

  record OfBoolean(boolean value) implements Parameter {}

  record OfDouble(double value) implements Parameter {}
}
