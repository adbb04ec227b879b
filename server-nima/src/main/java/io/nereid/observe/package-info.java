/**
 * What an operator sees of the server: metrics. Reads snapshots, and runs on the threads of those
 * who ask. Read {@link io.nereid.observe.MetricsPage} first.
 */
@NullMarked
package io.nereid.observe;

import org.jspecify.annotations.NullMarked;
