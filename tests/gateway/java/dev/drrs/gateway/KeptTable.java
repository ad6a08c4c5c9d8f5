package dev.drrs.gateway;

import java.io.IOException;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;

/** The connector {@code kept}: a table whose changes go to {@link KeptChanges}. With a primary key it takes upserts. */
public final class KeptTable implements DynamicTableSinkFactory {

    static final ConfigOption<String> JOB = ConfigOptions.key("job").stringType().noDefaultValue();
    static final ConfigOption<String> QUERY = ConfigOptions.key("query").stringType().noDefaultValue();

    @Override
    public String factoryIdentifier() {
        return "kept";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(JOB, QUERY);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        return new TableSink(
                new KeptChanges(helper.getOptions().get(JOB), helper.getOptions().get(QUERY)),
                context.getCatalogTable().getResolvedSchema().getPrimaryKey().isPresent(),
                context.getPhysicalRowDataType());
    }

    private record TableSink(KeptChanges changes, boolean upserts, DataType row) implements DynamicTableSink {
        @Override
        public ChangelogMode getChangelogMode(ChangelogMode requested) {
            return upserts ? ChangelogMode.upsert() : ChangelogMode.all();
        }

        @Override
        public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
            DataStructureConverter converter =
                    context.createDataStructureConverter(row);
            return SinkV2Provider.of(new Rows(changes, converter));
        }

        @Override
        public DynamicTableSink copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return changes.query();
        }
    }

    /** Rows as the Table API has them inside. */
    private record Rows(KeptChanges changes, DynamicTableSink.DataStructureConverter converter)
            implements Sink<RowData> {
        @Override
        public SinkWriter<RowData> createWriter(WriterInitContext context) {
            return new Writer(changes.createWriter(context), converter);
        }
    }

    private record Writer(SinkWriter<Row> rows, DynamicTableSink.DataStructureConverter converter)
            implements SinkWriter<RowData> {
        @Override
        public void write(RowData row, Context context) throws IOException, InterruptedException {
            rows.write((Row) converter.toExternal(row), context);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
