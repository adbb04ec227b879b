package io.nereid.server.frontend;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.control.ModelControl;
import io.nereid.engine.utilization.LoadMeter;
import io.nereid.server.codec.LongWork;

/**
 * What the front ends of both protocols serve requests with.
 *
 * @param models loads and unloads models, and lists them
 * @param runtime what is recorded of requests
 * @param identity what the server says of itself
 * @param pool memory of bodies and inputs, unless their model has its own
 * @param requestMemory limits what the requests of all clients, and of one, have of the pool
 * @param regions shared memory that clients have registered
 * @param longWork threads for requests that take milliseconds to read
 * @param load measures the load, for clients that ask for it
 */
public record FrontEndServices(
    RequestAdmission engine,
    ModelControl models,
    RuntimeSettings runtime,
    ServerIdentity identity,
    BufferPool pool,
    RequestMemory requestMemory,
    SharedRegions regions,
    LongWork longWork,
    LoadMeter load) {}
