/**
 * REST bodies: inference requests and responses in JSON, with the binary tensor data extension, and
 * requests that are raw binary data. Knows no socket and no HTTP header. Run by the connection's
 * thread. Read {@link io.nereid.server.codec.json.JsonRequestReader} first, then {@link
 * io.nereid.server.codec.json.JsonTensorData}.
 */
@NullMarked
package io.nereid.server.codec.json;

import org.jspecify.annotations.NullMarked;
