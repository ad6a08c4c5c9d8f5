/**
 * The DRRS protocol as single-threaded state machines: no host types, no threads, no clocks of its
 * own. Whatever is to happen outside is a call on an effects interface, so that a test can drive
 * every interleaving.
 *
 * <ul>
 *   <li>In a task: {@link dev.drrs.protocol.SubtaskGate} with {@link
 *       dev.drrs.protocol.GateEffects}, event time by {@link dev.drrs.protocol.EventClock}; {@link
 *       dev.drrs.protocol.PeerElement} from an old owner to a new one; {@link
 *       dev.drrs.protocol.GateReport} to the coordinator.
 *   <li>At the coordinator: {@link dev.drrs.protocol.Migration} with {@link
 *       dev.drrs.protocol.MigrationEffects}, {@link dev.drrs.protocol.SectionTurns} between
 *       sections and checkpoints, {@link dev.drrs.protocol.RescaleLifecycle}, {@link
 *       dev.drrs.protocol.Planner}, {@link dev.drrs.protocol.PlanValidator}.
 *   <li>At both: {@link dev.drrs.protocol.Strategy}, whose {@link dev.drrs.protocol.Policies} are
 *       all that differs between strategies.
 * </ul>
 *
 * <p>Order that a host has to keep: elements of one channel; peer elements of one subscale (state
 * of key groups may travel beside them); in a predecessor one action for routing, confirm and
 * switch. Messages between coordinator and tasks may overtake each other, except {@link
 * dev.drrs.protocol.SubtaskGate#untrack} after {@link dev.drrs.protocol.SubtaskGate#track}.
 */
package dev.drrs.protocol;
