/**
 * The DRRS protocol as single-threaded state machines: no host types, no threads, no clocks of its
 * own. Whatever is to happen outside is a call on an effects interface, so that a test can drive
 * every interleaving.
 */
package dev.drrs.protocol;
