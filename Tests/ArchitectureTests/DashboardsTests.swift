import Foundation
import Testing

/// What is looked at and alerted on is what the services export.
@Suite("Dashboards")
struct DashboardsTests {
    /// Every name that the sources give to a metric.
    private func exported() throws -> Set<String> {
        let name = /(?:DeclaredMetric\(\s*|sample\()"([a-z_]+)"/.overCode
        var names: Set<String> = []
        for file in try Project.files(in: Project.own) {
            let text = file.lines.joined(separator: "\n")
            names.formUnion(text.matches(of: name).map { String($0.output.1) })
        }
        return names
    }

    /// The metrics in an expression: what is neither a function, a keyword, nor a label.
    private func metrics(in expression: String) -> Set<String> {
        let bare = expression.replacing(/\{[^}]*\}/, with: "").replacing(/(?:by|without) \([^)]*\)/, with: "")
        let words = bare.matches(of: /[a-z_]+[a-z0-9_]*(?!\()\b/).map { String($0.output) }
        return Set(
            words.filter { $0.contains("_") && $0 != "histogram_quantile" }
                .map { $0.replacing(/_(?:bucket|sum|count)$/, with: "") })
    }

    private func expressions() throws -> [String] {
        let groups = try YAML.document("Infra/dashboards/rules.yaml")["groups"].items
        let rules = groups.flatMap { $0["rules"].items.compactMap { $0["expr"].text } }
        // JSON is YAML.
        let panels = try YAML.document("Infra/dashboards/doorstep.json")["panels"].items
        return rules + panels.flatMap { $0["targets"].items.compactMap { $0["expr"].text } }
    }

    @Test("Every metric of a rule or a panel is exported")
    func names() throws {
        let exported = try exported()
        #expect(exported.count > 15)
        let expressions = try expressions()
        #expect(expressions.count > 15)
        for expression in expressions where !expression.hasPrefix("up{") {
            let used = metrics(in: expression)
            #expect(!used.isEmpty, "\(expression)")
            #expect(used.isSubset(of: exported), "\(expression): \(used.subtracting(exported))")
        }
    }

    @Test("Every alert has a line in the operations page, and every line there is an alert's")
    func runbook() throws {
        let rules = try YAML.document("Infra/dashboards/rules.yaml")["groups"].items.flatMap { $0["rules"].items }
        let page = try String(contentsOf: Project.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let rows = page.matches(of: /(?m)^\| (Doorstep[A-Za-z]+) \|/).map { String($0.output.1) }
        #expect(rows.sorted() == rules.compactMap { $0["alert"].text }.sorted())
    }

    @Test("An alert about cards leads to the list that has ended deliveries too, in the rules and on the page")
    func cardsBehind() throws {
        let rules = try YAML.document("Infra/dashboards/rules.yaml")["groups"].items.flatMap { $0["rules"].items }
        let page = try String(contentsOf: Project.root.appending(path: "docs/operations.md"), encoding: .utf8)
        for alert in ["DoorstepCardsBehind", "DoorstepCardsPastTheirEnd", "DoorstepPayloadsRefused"] {
            let rule = try #require(rules.first { $0["alert"].text == alert })
            let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| \(alert) |") })
            for text in [rule["annotations"]["do"].text ?? "", String(row)] {
                #expect(text.contains("doorstep ops list --cards-behind"), "\(alert): \(text)")
            }
        }
    }

    /// Gauges that every replica reads from the same rows: added up, they would count everything twice.
    @Test("What every replica reports of the same rows is never summed over replicas")
    func replicas() throws {
        let shared =
            #/doorstep_(?:deliveries_[a-z_]+|cards_(?:behind|past_end)|oldest_wanted_not_sent_seconds|dead_letters|webhooks_(?:waiting|oldest_due_seconds)|webhook_endpoints|provider_events_for_people)/#
        var count = 0
        for expression in try expressions() {
            for match in expression.matches(of: shared) {
                let before = expression[..<match.range.lowerBound]
                #expect(before.contains(/max(?: by \([a-z, ]+\) )?\($/), "\(expression)")
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test("What must be alerted on is, and each alert says what to do")
    func alerts() throws {
        let rules = try YAML.document("Infra/dashboards/rules.yaml")["groups"].items.flatMap { $0["rules"].items }
        for rule in rules {
            let name = rule["alert"].text ?? ""
            #expect(rule["annotations"]["do"].text?.isEmpty == false, "\(name)")
            #expect(rule["labels"]["severity"].text != nil, "\(name)")
        }
        let used = rules.compactMap { $0["expr"].text }.reduce(into: Set<String>()) { $0.formUnion(metrics(in: $1)) }
        for wanted in [
            "doorstep_outbox_oldest_unsent_seconds", "doorstep_oldest_wanted_not_sent_seconds", "doorstep_dead_letters",
            "doorstep_cards_past_end", "doorstep_ready", "doorstep_degraded",
            "doorstep_budget_exhausted_total", "doorstep_deliveries_late", "doorstep_deliveries_silent",
            "doorstep_deliveries_unassigned", "doorstep_estimate_error_seconds", "doorstep_spans_dropped_total",
            "doorstep_push_circuits_open", "doorstep_push_circuits_of_other_apps", "doorstep_apns_requests_total",
            "doorstep_payloads_refused_total",
            "doorstep_webhook_endpoints", "doorstep_webhooks_oldest_due_seconds", "doorstep_webhook_attempts_total",
            "doorstep_provider_webhooks_refused_total", "doorstep_provider_events_for_people",
        ] { #expect(used.contains(wanted), "\(wanted)") }
    }
}
