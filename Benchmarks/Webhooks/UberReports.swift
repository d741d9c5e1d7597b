import Crypto
import DoorstepAPI
import Foundation
import TextCoding
import WireCoding

/// Reports of deliveries as Uber Direct sends them, signed, each of them new.
struct UberReports {
    private static let source = "bench-uber"
    private static let secret = "the-secret-of-the-benchmark"
    /// A delivery's reported statuses, cyclically.
    private static let statuses = ["pickup", "pickup_complete", "dropoff"]

    private let deliveries: [String]
    private let key: SymmetricKey

    /// Adds the source of the reports.
    ///
    /// - Parameters:
    ///   - deliveries: the deliveries of the reports, in turn.
    ///   - token: an operator's.
    init(of deliveries: [String], on loop: ClosedLoad, token: String) throws {
        self.deliveries = deliveries
        key = SymmetricKey(data: Data(Self.secret.utf8))
        let source = PutSourceBody(provider: "uber", name: "Uber", secret: Self.secret)
        let body = String(decoding: try WireJSON.encode(source), as: UTF8.self)
        try loop.run(
            count: 1,
            call: { _ in Request(method: "PUT", path: "/v1/sources/\(Self.source)", body: body, token: token) },
            answered: { _, answer in _ = try answer.decoded(SourceBody.self, status: 201) })
    }

    /// - Parameter part: of the run, so that numbers of two parts are not the same reports.
    func request(_ number: Int, of part: String) -> Request {
        let index = number % deliveries.count
        let status = Self.statuses[number / deliveries.count % Self.statuses.count]
        let body = """
            {"kind":"event.delivery_status","id":"evt_\(part)_\(number)","delivery_id":"del_\(index)",\
            "external_id":"\(deliveries[index])","status":"\(status)","created":"\(WireJSON.text(of: Date()))",\
            "live_mode":true,"customer_id":"cus_1","data":{"courier_imminent":false,"courier":{"name":"Sam",\
            "vehicle_type":"bicycle","phone_number":"+14155550123","location":{"lat":55.7009,"lng":12.5714}}}}
            """
        let signature = Hexadecimal.encode(HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: key))
        return Request(
            method: "POST", path: "/in/\(Self.source)", body: body, headers: ["x-uber-signature: \(signature)"])
    }
}
