/**
 * How options are declared: a group has a field for each, with its name, its help and the converter
 * of its text; and how the command line completes their names and lists them. Knows no option. Read
 * {@link io.nereid.server.options.declaration.OptionGroup} first.
 */
@NullMarked
package io.nereid.server.options.declaration;

import org.jspecify.annotations.NullMarked;
