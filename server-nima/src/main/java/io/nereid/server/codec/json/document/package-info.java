/**
 * A JSON document in off-heap memory, validated once and read in place. Knows nothing of inference.
 * Run by the connection's thread. Read {@link io.nereid.server.codec.json.document.JsonDocument}
 * first, then {@link io.nereid.server.codec.json.document.JsonParser}.
 */
@NullMarked
package io.nereid.server.codec.json.document;

import org.jspecify.annotations.NullMarked;
