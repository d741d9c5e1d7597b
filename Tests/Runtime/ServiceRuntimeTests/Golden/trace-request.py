"""Writes trace-request.hex with the reference implementation: the spans of OTLPTraceRequestTests, 32 bytes a line.

python3 -m venv .build/otlp && .build/otlp/bin/pip install opentelemetry-proto==1.45.2
.build/otlp/bin/python Tests/Runtime/ServiceRuntimeTests/Golden/trace-request.py
"""

import pathlib

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

SCHEMA = "https://opentelemetry.io/schemas/1.37.0"
TRACE = bytes.fromhex("4bf92f3577b34da6a3ce929d0e0e4736")


def text(key, value):
    return KeyValue(key=key, value=AnyValue(string_value=value))


def whole(key, value):
    return KeyValue(key=key, value=AnyValue(int_value=value))


request = ExportTraceServiceRequest()
resource_spans = request.resource_spans.add(schema_url=SCHEMA)
resource_spans.resource.attributes.extend([text("service.name", "orders"), text("service.version", "0.7.0")])
scope_spans = resource_spans.scope_spans.add(schema_url=SCHEMA)
scope_spans.scope.name = "doorstep"
scope_spans.scope.version = "0.7.0"

span = scope_spans.spans.add(
    trace_id=TRACE,
    span_id=bytes.fromhex("00f067aa0ba902b7"),
    parent_span_id=bytes.fromhex("b7ad6b7169203331"),
    name="GET /v1/orders/{id}",
    kind=Span.SPAN_KIND_SERVER,
    start_time_unix_nano=1_795_285_440_000_000_000,
    end_time_unix_nano=1_795_285_440_001_500_000,
    flags=1,
)
span.attributes.extend(
    [
        KeyValue(key="a.false", value=AnyValue(bool_value=False)),
        whole("a.negative", -5),
        KeyValue(key="a.ratio", value=AnyValue(double_value=0.25)),
        KeyValue(
            key="a.texts",
            value=AnyValue(array_value=ArrayValue(values=[AnyValue(string_value="æ"), AnyValue(string_value="")])),
        ),
        KeyValue(key="a.true", value=AnyValue(bool_value=True)),
        whole("a.zero", 0),
        text("http.request.method", "GET"),
        whole("http.response.status_code", 500),
    ]
)
event = span.events.add(time_unix_nano=1_795_285_440_001_000_000, name="exception")
event.attributes.extend([text("exception.message", "boom"), text("exception.type", "Boom")])
link = span.links.add(
    trace_id=bytes.fromhex("0af7651916cd43dd8448eb211c80319c"), span_id=bytes.fromhex("c2ad6b7169203331"), flags=1
)
link.attributes.append(text("why", "batch"))
span.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message="failed"))

scope_spans.spans.add(
    trace_id=TRACE,
    span_id=bytes.fromhex("53995c3f42cd8ad8"),
    name="publish orders.delivery-changed",
    kind=Span.SPAN_KIND_PRODUCER,
    start_time_unix_nano=1_795_285_440_000_000_000,
    end_time_unix_nano=1_795_285_440_000_000_000,
    flags=1,
)

digits = request.SerializeToString(deterministic=True).hex()
lines = [digits[at : at + 64] for at in range(0, len(digits), 64)]
pathlib.Path(__file__).with_suffix(".hex").write_text("\n".join(lines) + "\n")
