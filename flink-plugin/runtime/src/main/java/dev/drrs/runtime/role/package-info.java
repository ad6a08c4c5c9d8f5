/**
 * What a task does in a rescale: {@link dev.drrs.runtime.role.TaskRescaler} and its roles as
 * predecessor, owner, follower and consumer, with the events they send in order on channels.
 */
package dev.drrs.runtime.role;
