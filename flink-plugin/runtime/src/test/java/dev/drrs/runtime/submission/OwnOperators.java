package dev.drrs.runtime.submission;

import dev.drrs.api.KeyGroupListener;
import java.util.List;
import java.util.function.Predicate;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.checkpoint.ListCheckpointed;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;

/** Operators and functions as users write them. */
final class OwnOperators {

    private OwnOperators() {}

    static class Operator extends AbstractStreamOperator<Long>
            implements OneInputStreamOperator<Long, Long> {
        @Override
        public void processElement(StreamRecord<Long> element) {
            output.collect(element);
        }
    }

    static final class WithRawState extends Operator {
        @Override
        protected boolean isUsingCustomRawKeyedState() {
            return true;
        }
    }

    static final class Derived extends KeyedProcessOperator<Long, Long, Long> {
        Derived() {
            super(new Keyed());
        }
    }

    /** Says that it makes an operator of Flink. */
    static final class Factory extends AbstractStreamOperatorFactory<Long>
            implements OneInputStreamOperatorFactory<Long, Long> {
        @Override
        public <T extends StreamOperator<Long>> T createStreamOperator(
                StreamOperatorParameters<Long> parameters) {
            throw new UnsupportedOperationException("no task runs here");
        }

        @Override
        @SuppressWarnings({"unchecked", "rawtypes"}) // Flink's own signature is raw
        public Class<? extends StreamOperator<Long>> getStreamOperatorClass(ClassLoader loader) {
            return (Class) KeyedProcessOperator.class;
        }
    }

    /** Has a coordinator in the JobMaster. */
    static final class Coordinated extends AbstractStreamOperatorFactory<Long>
            implements OneInputStreamOperatorFactory<Long, Long>, CoordinatedOperatorFactory<Long> {
        @Override
        public <T extends StreamOperator<Long>> T createStreamOperator(
                StreamOperatorParameters<Long> parameters) {
            throw new UnsupportedOperationException("no task runs here");
        }

        @Override
        public Class<? extends StreamOperator<Long>> getStreamOperatorClass(ClassLoader loader) {
            return Operator.class;
        }

        @Override
        public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID id) {
            return new Provider(id);
        }
    }

    private record Provider(OperatorID id) implements OperatorCoordinator.Provider {
        @Override
        public OperatorID getOperatorId() {
            return id;
        }

        @Override
        public OperatorCoordinator create(OperatorCoordinator.Context context) {
            throw new UnsupportedOperationException("no job runs here");
        }
    }

    static class Keyed extends KeyedProcessFunction<Long, Long, Long> {
        @Override
        public void processElement(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }
    }

    static class Checkpointed extends Keyed implements CheckpointedFunction {
        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public void initializeState(FunctionInitializationContext context) {}
    }

    @SuppressWarnings("deprecation") // Flink still calls it
    static final class ListFunction extends Keyed implements ListCheckpointed<String> {
        @Override
        public List<String> snapshotState(long id, long timestamp) {
            return List.of();
        }

        @Override
        public void restoreState(List<String> state) {}
    }

    static final class Listening extends Checkpointed implements KeyGroupListener {
        @Override
        public void keyGroupsLeaving(int[] keyGroups, Predicate<Object> isAmong) {}
    }

    static final class Buffering extends ProcessFunction<Long, Long>
            implements CheckpointedFunction {
        @Override
        public void processElement(Long n, Context context, Collector<Long> out) {
            out.collect(n);
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public void initializeState(FunctionInitializationContext context) {}
    }
}
