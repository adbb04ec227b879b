/**
 * The text of {@code config.pbtxt}: a message, the position of each field, and all problems, not
 * only the first. It knows the schema and protobuf's text format, and no rule about the values.
 * Pure; any thread. Read {@link io.nereid.engine.model.config.text.ConfigTextReader} first.
 */
@NullMarked
package io.nereid.engine.model.config.text;

import org.jspecify.annotations.NullMarked;
