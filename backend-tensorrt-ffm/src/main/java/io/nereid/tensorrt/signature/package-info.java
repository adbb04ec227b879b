/**
 * What an engine's inputs and outputs say about a configuration: its completion, its checks, and
 * the optimisation profile for a batch. Pure: it knows neither native code nor requests, so its
 * tests need no engine.
 *
 * <p>The threads that load models and open instances call it; all types are immutable. Read {@link
 * io.nereid.tensorrt.signature.PlanSignature} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.signature;
