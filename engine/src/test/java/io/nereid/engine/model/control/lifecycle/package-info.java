/**
 * Tests of what happens to models while a server runs: they are loaded, loaded again, changed in
 * place and unloaded while requests execute. {@link
 * io.nereid.engine.model.control.lifecycle.LifecycleTests} is what they have in common: a model
 * manager, a repository whose files the test changes, and a backend whose calls it holds.
 */
@NullMarked
package io.nereid.engine.model.control.lifecycle;

import org.jspecify.annotations.NullMarked;
