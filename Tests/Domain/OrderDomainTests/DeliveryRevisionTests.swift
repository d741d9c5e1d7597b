import Foundation
import OrderDomain
import Testing

@Suite("Revisions of deliveries")
struct DeliveryRevisionTests {
    @Test("It is read from the document of a whole delivery, in every status", arguments: DeliveryStatus.all)
    func decoded(status: DeliveryStatus) throws {
        let delivery = try delivery(in: status)
        let revision = DeliveryRevision(delivery)
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        #expect(try decoder.decode(DeliveryRevision.self, from: encoder.encode(delivery)) == revision)
        #expect(revision.holder == delivery.holder && revision.version == delivery.version)
        #expect(revision.isUnassigned == (delivery.courier == nil && delivery.assignmentEpoch == 0))
    }
}
