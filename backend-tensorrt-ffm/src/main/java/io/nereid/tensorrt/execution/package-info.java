/**
 * Batches on a GPU: an instance, which starts a batch while the one before computes, and what it
 * owns. Configuration and signature are checked before; native calls are made through {@link
 * io.nereid.tensorrt.cuda} and {@link io.nereid.tensorrt.engine}.
 *
 * <p>The thread of an instance makes all calls, unless a class says otherwise. Read {@link
 * io.nereid.tensorrt.execution.TensorRtInstance} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.execution;
