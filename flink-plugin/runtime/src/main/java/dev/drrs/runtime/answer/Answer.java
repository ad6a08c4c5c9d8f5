package dev.drrs.runtime.answer;

/**
 * What an endpoint answers: a record, whose components in their order are the fields of the JSON
 * object, in snake case. {@link AnswerJson} writes it. All times are epoch milliseconds, a
 * component that may be null says when.
 */
public sealed interface Answer
        permits Overview,
                DrainState,
                JobVertices,
                Accepted,
                Valid,
                RescaleStatus,
                RescaleHistory,
                Errors {}
