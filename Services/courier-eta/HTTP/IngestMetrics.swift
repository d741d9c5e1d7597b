import DeclaredMetrics

/// What the ingest of couriers' phones counts.
enum IngestMetrics {
    static let accepted = DeclaredMetric(
        "doorstep_fixes_accepted_total", help: "Fixes that were stored, by tracker app.")
    static let ignored = DeclaredMetric(
        "doorstep_fixes_ignored_total", help: "Fixes that were not stored, by tracker app and reason.")
    static let phonesRefused = DeclaredMetric(
        "doorstep_phones_refused_total", help: "Requests of phones without a valid token, by reason.")
}
