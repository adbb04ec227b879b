/**
 * What a server says of itself and of its models: values without behaviour. They are made of trees
 * of maps, lists, strings, numbers and booleans, which is what both transports read; a member that
 * a server leaves out is empty or 0.
 */
@NullMarked
package io.nereid.client.model;

import org.jspecify.annotations.NullMarked;
