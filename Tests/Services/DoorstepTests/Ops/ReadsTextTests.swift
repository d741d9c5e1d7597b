import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import StackClient
import Testing
import TimePresentation

@testable import Doorstep

@Suite("The table of who read personal data")
struct ReadsTextTests {
    @Test("A line has the reader, the operation, the persons and the number of reads, and a page leads to the next")
    func table() {
        let times = StoreTimes(timeZone: "Europe/Copenhagen", now: SampleDeliveries.at(55))
        let reads = (0..<60).map { number in
            PersonalReadBody(
                id: UUID().uuidString, at: SampleDeliveries.at(50), lastAt: SampleDeliveries.at(51), role: "operator",
                by: "reader-\(number)", store: nil, operation: "getDelivery", kind: "drop_off", customers: ["mira"],
                deliveries: [], couriers: [], reads: 7, objects: 7, traceID: nil)
        }
        let page = MergedReads([("orders", PersonalReadsBody(reads: reads, next: nil))])
        let lines = page.table(times).text.split(separator: "\n")
        #expect(lines.filter { $0.contains("reader-") }.count == 50)
        #expect(lines.contains { $0.contains("reader-0 ") && $0.contains("7") && $0.contains("customer mira") })
        #expect(lines.contains { $0.contains("--cursor orders:\(reads[49].id)") })
        #expect(MergedReads([]).table(times).text == "no reads")
    }

    @Test("The desk and partners are asked where they have an address")
    func peers() {
        #expect(OpsReads.peers([:]) == [.orders, .courierETA, .activityDispatch])
        let partners = OpsReads.peers(["DOORSTEP_PARTNERS_URL": "http://127.0.0.1:8085"])
        #expect(partners == [.orders, .courierETA, .activityDispatch, .partners])
    }

    @Test("Only a cursor that a page has made is accepted")
    func arguments() throws {
        #expect(throws: (any Error).self) { try OpsReads.parse(["--cursor", "n1"]) }
        let id = UUID().uuidString.lowercased()
        #expect(try OpsReads.parse(["--cursor", "orders:\(id)", "--by", "ada", "--from", "2d"]).by == "ada")
    }
}
