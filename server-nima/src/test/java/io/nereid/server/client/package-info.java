/** The Java client against a server: each call, and what becomes of it when a server fails. */
@NullMarked
package io.nereid.server.client;

import org.jspecify.annotations.NullMarked;
