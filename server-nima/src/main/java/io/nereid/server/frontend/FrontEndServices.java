package io.nereid.server.frontend;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.control.ModelControl;
import io.nereid.engine.utilization.LoadMeter;
import io.nereid.server.codec.LongWork;

/**
 * What the front ends of both protocols serve requests with.
 *
 * @param models loads and unloads models, and lists them
 * @param runtime what is recorded of requests
 * @param identity what the server says of itself
 * @param memory of bodies, inputs and regions
 * @param longWork threads for requests that take milliseconds to read
 * @param load measures the load, for clients that ask for it
 */
public record FrontEndServices(
    RequestAdmission engine,
    ModelControl models,
    RuntimeSettings runtime,
    ServerIdentity identity,
    FrontEndMemory memory,
    LongWork longWork,
    LoadMeter load) {}
