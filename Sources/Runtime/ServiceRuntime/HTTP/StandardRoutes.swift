internal import HTTPTypes
internal import Hummingbird

/// Adds the routes that every service has and that need no token.
func addStandardRoutes(
    to router: Router<AppContext>, name: String, openAPI: [UInt8], readiness: SharedReadiness,
    metrics: MetricsRegistry,
    drain: DrainState
) {
    router.get("/health/live") { _, _ in try jsonResponse(["status": "live", "service": name]) }
    router.get("/health/ready") { _, _ in
        let report = await readiness.report(isDraining: drain.isDraining)
        return try jsonResponse(report, status: report.status == "ready" ? .ok : .serviceUnavailable)
    }
    router.get("/metrics") { _, _ in
        bytesResponse(Array(metrics.exposition().utf8), type: MetricsRegistry.expositionType)
    }
    router.get("/openapi.yaml") { _, _ in bytesResponse(openAPI, type: "application/yaml") }
}

private func bytesResponse(_ bytes: [UInt8], type: String) -> Response {
    Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
}
