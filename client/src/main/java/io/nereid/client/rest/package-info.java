/**
 * Calls over REST by the JDK's HTTP client, with the extension for binary tensors. Begin with
 * {@link RestTransport}. JSON, and HTTP's codes and headers, are known here and nowhere else.
 *
 * <p>Responses are read on the threads of the HTTP client, or on the caller's if it waits.
 */
@NullMarked
package io.nereid.client.rest;

import org.jspecify.annotations.NullMarked;
