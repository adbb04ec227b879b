/**
 * Model control: which models serve, from the start of the server, polls of the repositories and
 * requests of clients to the end. Loads what has changed while the present versions serve, and
 * writes the registry. Knows no wire form. Operations run on platform threads of their own; {@link
 * io.nereid.engine.model.control.OperationLocks} keeps those of related models apart. Read {@link
 * io.nereid.engine.model.control.ModelManager} first, then {@link
 * io.nereid.engine.model.control.ModelOperations} and {@link
 * io.nereid.engine.model.control.LoadOperation}.
 *
 * <pre>{@code
 * what others call    ModelControl, by ModelManager; LoadParameters, ModelIndexEntry
 * settings            ControlSettings, ControlMode, LoadLimits
 * repositories        RepositoryScan, RepositoryWatch, ModelIndex
 * operations          ModelOperations, OperationLocks, ClientLoads, ManagedModel, DirectoryUses
 * a load              LoadOperation: ModelChange, ModelLoad, SwitchPlan; LoadFailure, StartFailures
 * an unload, a close  UnloadPlan, ModelCloser
 * both                BackendThreads, LifeCycleTelemetry
 * }</pre>
 */
@NullMarked
package io.nereid.engine.model.control;

import org.jspecify.annotations.NullMarked;
