/**
 * JSON documents in off-heap memory, validated once and read in place. Independent of inference.
 * Runs on the connection's thread. Read {@link io.nereid.server.codec.json.document.JsonDocument}
 * first, then {@link io.nereid.server.codec.json.document.JsonParser}.
 */
@NullMarked
package io.nereid.server.codec.json.document;

import org.jspecify.annotations.NullMarked;
