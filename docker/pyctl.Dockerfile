FROM python:3.11-slim

COPY requirements.lock /src/
COPY pyctl /src/pyctl
# The version stands there.
COPY flink-plugin/pom.xml /src/flink-plugin/pom.xml
# The lock is for the whole repository; as a constraint it pins what pyctl needs and installs nothing else.
RUN pip install --no-cache-dir --constraint /src/requirements.lock /src/pyctl

USER nobody
ENTRYPOINT ["pyctl"]
