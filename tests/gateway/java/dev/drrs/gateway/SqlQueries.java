package dev.drrs.gateway;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * One bounded job of many SQL queries over the same bids. There are the tables {@code bid} (auction, bidder, price, ts, proc) and
 * {@code latest}, an upsert stream with the latest bid of each auction (auction, price, ts).
 */
final class SqlQueries {

    private static final TypeInformation<Row> BID =
            Types.ROW_NAMED(
                    new String[] {"auction", "bidder", "price", "ts"},
                    Types.LONG,
                    Types.LONG,
                    Types.LONG,
                    Types.INSTANT);

    /** Event time of the first bid; each is a millisecond after the one before. */
    private static final long BEGIN = 1_700_000_000_000L;

    private SqlQueries() {}

    /**
     * @param given name, parallelism, bids, rate (a second, see {@link Paced}), checkpoint-ms
     * @param statements to be executed first: views
     * @param queries SQL by name, with {@code SET a = b;} in front of it where it needs that; one whose name begins with
     *     {@code inserted} goes into a table, one with {@code printed} into one of the connector print, whose sink is of
     *     the old kind, the others into a data stream
     */
    static void build(
            StreamExecutionEnvironment environment,
            Map<String, String> given,
            List<String> statements,
            Map<String, String> queries) {
        environment.setMaxParallelism(128);
        environment.setParallelism(Integer.parseInt(given.get("parallelism")));
        environment.enableCheckpointing(Long.parseLong(given.get("checkpoint-ms")));
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        DataStream<Long> numbers =
                environment
                        .fromSequence(0, Long.parseLong(given.get("bids")) - 1)
                        .setParallelism(1)
                        .map(new Paced<Long>(given.get("name"), Integer.parseInt(given.get("rate"))))
                        .returns(Types.LONG)
                        .setParallelism(1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((n, unused) -> BEGIN + n))
                        .setParallelism(1);
        tables.createTemporaryView(
                "bid",
                rows(numbers, RowKind.INSERT),
                schema().columnByExpression("proc", "PROCTIME()")
                        .watermark("ts", "SOURCE_WATERMARK()")
                        .build());
        tables.createTemporaryView(
                "latest",
                tables.fromChangelogStream(
                        rows(numbers, RowKind.UPDATE_AFTER),
                        schema().watermark("ts", "SOURCE_WATERMARK()").primaryKey("auction").build(),
                        ChangelogMode.upsert()));
        tables.createTemporarySystemFunction("passing", PassingTableFunction.class);
        statements.forEach(tables::executeSql);
        queries.forEach((name, sql) -> add(tables, given.get("name"), name, sql));
    }

    /** Settings that are true or false are turned back afterwards. */
    private static void add(StreamTableEnvironment tables, String job, String name, String sql) {
        String[] parts = sql.split(";");
        for (int i = 0; i < parts.length - 1; i++) {
            String[] setting = parts[i].replace("SET ", "").split("=", 2);
            tables.getConfig().set(setting[0].trim(), setting[1].trim());
        }
        String query = parts[parts.length - 1];
        Table table = tables.sqlQuery(query);
        if (name.startsWith("printed")) {
            insert(tables, name, table, TableDescriptor.forConnector("print").option("print-identifier", job + "/" + name));
        } else if (name.startsWith("inserted")) {
            insert(
                    tables,
                    name,
                    table,
                    TableDescriptor.forConnector("kept").option(KeptTable.JOB, job).option(KeptTable.QUERY, name));
        } else {
            tables.toChangelogStream(table).sinkTo(new KeptChanges(job, name)).name(name);
        }
        for (int i = 0; i < parts.length - 1; i++) {
            String[] setting = parts[i].replace("SET ", "").split("=", 2);
            String value = setting[1].trim();
            if (value.equals("true") || value.equals("false")) {
                tables.getConfig().set(setting[0].trim(), String.valueOf(value.equals("false")));
            }
        }
    }

    /** One whose name ends with {@code by key} has its first column as primary key. */
    private static void insert(
            StreamTableEnvironment tables, String name, Table table, TableDescriptor.Builder sink) {
        List<Column> columns = table.getResolvedSchema().getColumns();
        boolean keyed = name.endsWith("by key");
        Schema.Builder schema = Schema.newBuilder();
        for (Column column : columns) {
            boolean key = keyed && column == columns.get(0);
            schema.column(column.getName(), key ? column.getDataType().notNull() : column.getDataType());
        }
        if (keyed) {
            schema.primaryKey(columns.get(0).getName());
        }
        tables.createTemporaryTable("`" + name + "`", sink.schema(schema.build()).build());
        tables.createStatementSet().add(table.insertInto("`" + name + "`")).attachAsDataStream();
    }

    private static Schema.Builder schema() {
        return Schema.newBuilder()
                .column("auction", "BIGINT NOT NULL")
                .column("bidder", "BIGINT NOT NULL")
                .column("price", "BIGINT NOT NULL")
                .column("ts", "TIMESTAMP_LTZ(3)");
    }

    private static DataStream<Row> rows(DataStream<Long> numbers, RowKind kind) {
        return numbers.map(
                        n -> {
                            long random = mixed(n);
                            long auctions = random % 4 == 0 ? 400 : 10; // some get most of the bids
                            return Row.ofKind(
                                    kind,
                                    1000 + (random >>> 8) % auctions,
                                    (random >>> 40) % 500,
                                    100 + (random >>> 16) % 100_000,
                                    Instant.ofEpochMilli(BEGIN + n));
                        })
                .returns(BID)
                .setParallelism(1);
    }

    /** A number that looks random, and not negative (SplitMix64). */
    private static long mixed(long n) {
        long z = (n + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return (z ^ (z >>> 31)) >>> 1;
    }
}
