/**
 * SLF4J's log of a plug-in whose jars have its API and no provider: it goes where the log of {@link
 * System.Logger} goes. Defined once for each plug-in, by its class loader, since the API is that of
 * the plug-in; the server itself never loads these classes. Any thread. Read {@link
 * io.nereid.engine.plugin.slf4j.PlatformLogging} first.
 */
@NullMarked
package io.nereid.engine.plugin.slf4j;

import org.jspecify.annotations.NullMarked;
