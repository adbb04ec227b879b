/**
 * A transport of the client whose server is an engine in the same process: a service is written
 * against {@link io.nereid.client.NereidClient} once, whether models are near or far. Read {@link
 * io.nereid.client.engine.EngineTransport} first.
 */
@NullMarked
package io.nereid.client.engine;

import org.jspecify.annotations.NullMarked;
