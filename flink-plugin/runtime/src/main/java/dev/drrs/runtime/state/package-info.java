/**
 * Moving keyed state and timers of single key groups between two running subtasks of an operator.
 *
 * <p>Old owner: {@link dev.drrs.runtime.state.KeyedStateMover#detach} in the mailbox, {@link
 * dev.drrs.runtime.state.DetachedKeyGroups#write} on a transfer thread. New owner: {@link
 * dev.drrs.runtime.state.SubscaleTimers#open} in the mailbox, {@link
 * dev.drrs.runtime.state.IncomingKeyGroup#add} on a transfer thread, {@link
 * dev.drrs.runtime.state.IncomingKeyGroup#install} in the mailbox, then {@link
 * dev.drrs.runtime.state.SubscaleTimers#withClock} and {@link
 * dev.drrs.runtime.state.SubscaleTimers#fire} until {@link
 * dev.drrs.runtime.state.SubscaleTimers#join}. {@link dev.drrs.runtime.supported.StateSupport} says
 * beforehand whether it can work. How a backend does it is in a package of its own, such as {@link
 * dev.drrs.runtime.heap}.
 */
package dev.drrs.runtime.state;
