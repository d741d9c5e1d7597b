import Foundation
import Testing

@Suite("Metrics")
struct MetricDeclarationTests {
    @Test("Every metric is made from a declaration, which has a help text")
    func declared() throws {
        let made = /\b(Counter|Gauge|Meter|Recorder|Timer)\((label|$)/.overCode
        for file in try Project.files(in: Project.own) where file.module != "Sources/Base/DeclaredMetrics" {
            for (number, text) in file.code {
                #expect(text.firstMatch(of: made) == nil, "\(file):\(number): \(text)")
            }
        }
    }

    @Test("Each metric is declared once, with the prefix and a sentence")
    func names() throws {
        let declaration = /DeclaredMetric\(\s*"([^"]*)",\s*help:\s*"([^"]*)"/.overCode
        var names: [String] = []
        for file in try Project.files(in: Project.own) {
            for match in file.lines.joined(separator: "\n").matches(of: declaration) {
                names.append(String(match.output.1))
                #expect(match.output.1.hasPrefix("doorstep_"), "\(file): \(match.output.1)")
                #expect(match.output.2.hasSuffix("."), "\(file): \(match.output.2)")
            }
        }
        #expect(names.count > 25)
        #expect(Set(names).count == names.count)
    }
}
