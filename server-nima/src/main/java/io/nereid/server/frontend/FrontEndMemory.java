package io.nereid.server.frontend;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.region.SharedRegions;

/**
 * The memory that requests and responses have.
 *
 * @param pool memory of bodies and inputs, unless their model has its own
 * @param requests limits what the requests of all clients, and of one, have of the pool
 * @param regions shared memory that clients have registered
 */
public record FrontEndMemory(BufferPool pool, RequestMemory requests, SharedRegions regions) {}
