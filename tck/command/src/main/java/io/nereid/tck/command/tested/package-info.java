/**
 * What a run verifies: a server that runs, servers that are started, or the models of a backend, as
 * the command line names them, with the classes that JUnit runs on them. Used by the thread of
 * {@code main}. Read {@link io.nereid.tck.command.tested.Tested} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.command.tested;
