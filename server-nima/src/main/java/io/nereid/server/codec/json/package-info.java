/**
 * The bodies of inference over REST: JSON with the binary tensor data extension, raw binary
 * requests and the generate extension. It depends on no socket and no HTTP header. Runs on the
 * connection's thread. Read {@link io.nereid.server.codec.json.JsonRequestReader} first, then
 * {@link io.nereid.server.codec.json.JsonTensorData}.
 */
@NullMarked
package io.nereid.server.codec.json;

import org.jspecify.annotations.NullMarked;
