/**
 * Model control: which models serve, from the start of the server, polls of the repositories and
 * requests of clients to the end. Knows no wire form, and leaves loads and unloads to {@code
 * operation}. Read {@link io.nereid.engine.model.control.ModelManager} first.
 *
 * <pre>{@code
 * what others call    ModelControl, by ModelManager; LoadParameters, ModelIndexEntry
 * settings            ControlSettings, ControlMode
 * at the start        StartFailures
 * polls               RepositoryWatch
 * requests            ClientLoads, ModelIndex
 * }</pre>
 */
@NullMarked
package io.nereid.engine.model.control;

import org.jspecify.annotations.NullMarked;
