/**
 * What the front ends of all protocols share: the services behind them, what they record of
 * requests, and the classification and the regions of responses.
 */
@NullMarked
package io.nereid.server.frontend;

import org.jspecify.annotations.NullMarked;
