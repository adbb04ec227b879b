/**
 * The execution of a batch by an instance: its inputs are gathered, the backend is called, outputs
 * are split among the requests, and each request ends with its responses. All by the thread that
 * executes, except that requests which a backend has detached are answered by its threads. Neither
 * the instance's thread nor a scheduler is known here. Read {@link
 * io.nereid.engine.execution.batch.BatchExecutions} first, then {@link
 * io.nereid.engine.execution.batch.RequestBatch} and {@link
 * io.nereid.engine.execution.batch.BatchResults}.
 */
@NullMarked
package io.nereid.engine.execution.batch;

import org.jspecify.annotations.NullMarked;
