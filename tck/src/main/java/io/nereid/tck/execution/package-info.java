/**
 * One call of execute, observed: a batch and results that verify the contract with a backend as the
 * server does, and record what breaks it. {@link io.nereid.tck.execution.TestBatch} is what a
 * backend is given, {@link io.nereid.tck.execution.TestResults} what it answers with, {@link
 * io.nereid.tck.execution.ExecutedBatch} what came of it. Knows no model that is open.
 *
 * <p>Used by the thread that executes, detached requests and the calls of others by any thread.
 * Read {@link io.nereid.tck.execution.TestResults} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.execution;
