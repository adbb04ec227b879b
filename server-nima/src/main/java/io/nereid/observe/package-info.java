/**
 * What an operator sees of the server: metrics. Read {@link io.nereid.observe.MetricsTransport}.
 */
@NullMarked
package io.nereid.observe;

import org.jspecify.annotations.NullMarked;
