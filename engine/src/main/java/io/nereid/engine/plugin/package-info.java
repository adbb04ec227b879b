/**
 * Discovery of what extends the server: providers of a service on the class path, and in folders of
 * jars, each with a class loader of its own. Knows no service by name. Called by the thread that
 * starts the server, and {@link io.nereid.engine.plugin.PluginContext} by any. Read {@link
 * io.nereid.engine.plugin.ProviderSearch} first.
 */
@NullMarked
package io.nereid.engine.plugin;

import org.jspecify.annotations.NullMarked;
