import Foundation
import NIOCore
import NIOHPACK
import Testing

@testable import APNsClient

@Suite("APNs' answers")
struct AnswerTests {
    private let sent = Fixture.request().id

    private func receive(_ headers: HPACKHeaders, in answer: inout Answer) throws {
        let isAnswer = answer.receive(headers)
        try #require(isAnswer)
    }

    private func result(_ status: Int, _ headers: [(String, String)] = [], body: String = "") throws -> APNsResult {
        var answer = Answer()
        try receive(HPACKHeaders([(":status", "\(status)")] + headers), in: &answer)
        let isKept = answer.receive(ByteBuffer(string: body))
        try #require(isKept)
        return try #require(answer.result(sent: sent))
    }

    private func refusal(_ status: Int, _ headers: [(String, String)] = [], body: String = "") throws -> APNsRefusal {
        try #require(try result(status, headers, body: body).refusal)
    }

    @Test("200 is accepted with the id that came back, or with ours")
    func accepted() throws {
        let other = UUID()
        #expect(try result(200, [("apns-id", other.uuidString)]) == .accepted(id: other))
        #expect(try result(200) == .accepted(id: sent))
        #expect(try result(200, [("apns-id", "garbage")], body: "garbage") == .accepted(id: sent))
    }

    @Test(
        "Every reason of Apple's table is known, with what to do about it",
        arguments: [
            (400, "BadCollapseId", .badCollapseID, .ourMistake),
            (400, "BadDeviceToken", .badDeviceToken, .dropToken),
            (400, "BadExpirationDate", .badExpirationDate, .ourMistake),
            (400, "BadMessageId", .badMessageID, .ourMistake),
            (400, "BadPriority", .badPriority, .ourMistake),
            (400, "BadTopic", .badTopic, .fixConfiguration),
            (400, "DeviceTokenNotForTopic", .deviceTokenNotForTopic, .dropToken),
            (400, "DuplicateHeaders", .duplicateHeaders, .ourMistake),
            (400, "IdleTimeout", .idleTimeout, .reconnect),
            (400, "InvalidPushType", .invalidPushType, .ourMistake),
            (400, "MissingDeviceToken", .missingDeviceToken, .ourMistake),
            (400, "MissingTopic", .missingTopic, .fixConfiguration),
            (400, "PayloadEmpty", .payloadEmpty, .ourMistake),
            (400, "TopicDisallowed", .topicDisallowed, .fixConfiguration),
            (403, "BadCertificate", .badCertificate, .fixConfiguration),
            (403, "BadCertificateEnvironment", .badCertificateEnvironment, .fixConfiguration),
            (403, "BadEnvironmentKeyIdInToken", .badEnvironmentKeyID, .fixConfiguration),
            (403, "BadEnvironmentKeyInToken", .badEnvironmentKeyID, .fixConfiguration),
            (403, "ExpiredProviderToken", .expiredProviderToken, .authentication),
            (403, "Forbidden", .forbidden, .fixConfiguration),
            (403, "InvalidProviderToken", .invalidProviderToken, .fixConfiguration),
            (403, "MissingProviderToken", .missingProviderToken, .fixConfiguration),
            (403, "UnrelatedKeyIdInToken", .unrelatedKeyID, .reconnect),
            (404, "BadPath", .badPath, .ourMistake),
            (405, "MethodNotAllowed", .methodNotAllowed, .ourMistake),
            (410, "ExpiredToken", .expiredToken, .dropToken),
            (410, "Unregistered", .unregistered, .dropToken),
            (413, "PayloadTooLarge", .payloadTooLarge, .ourMistake),
            (429, "TooManyProviderTokenUpdates", .tooManyProviderTokenUpdates, .authentication),
            (429, "TooManyRequests", .tooManyRequests, .wait),
            (500, "InternalServerError", .internalServerError, .wait),
            (503, "ServiceUnavailable", .serviceUnavailable, .reconnect),
            (503, "Shutdown", .shutdown, .reconnect),
        ] as [(Int, String, APNsReason, APNsRemedy)])
    func reasons(status: Int, name: String, reason: APNsReason, remedy: APNsRemedy) throws {
        let refusal = try refusal(status, body: #"{"reason":"\#(name)"}"#)
        #expect(refusal.reason == reason)
        #expect(refusal.remedy == remedy)
        #expect(APNsReason(reason.name) == reason)
    }

    @Test(
        "A reason that is not known is kept as text, and judged by its status",
        arguments: [
            (302, .wait), (400, .ourMistake), (401, .fixConfiguration), (403, .fixConfiguration),
            (404, .ourMistake), (410, .dropToken), (418, .ourMistake), (429, .wait), (500, .wait), (502, .wait),
            (503, .reconnect), (599, .wait),
        ] as [(Int, APNsRemedy)])
    func unknownReasons(status: Int, remedy: APNsRemedy) throws {
        let refusal = try refusal(status, body: #"{"reason":"OfTomorrow","more":[1]}"#)
        #expect(refusal.reason == .other("OfTomorrow"))
        #expect(refusal.remedy == remedy)
    }

    @Test(
        "A body that is not APNs' leaves the status to decide",
        arguments: ["", "<html>", "{", "[]", "null", #"{"reason":7}"#, #"{"reason":null}"#, "\u{0}\u{1}"])
    func garbage(body: String) throws {
        #expect(try refusal(400, body: body) == APNsRefusal(status: 400, reason: .other("")))
    }

    @Test("A 410 says since when, in milliseconds; what can be none is left out")
    func since() throws {
        func since(_ timestamp: String, status: Int = 410) throws -> Date? {
            try refusal(status, body: #"{"reason":"Unregistered","timestamp":\#(timestamp)}"#).since
        }
        #expect(try since("1795000000123") == Date(timeIntervalSince1970: 1_795_000_000.123))
        #expect(try since("1795000000123", status: 400) == nil)
        for garbage in ["1795000000", "-1", "1e300", #""soon""#, "null"] { #expect(try since(garbage) == nil) }
        let reason = try refusal(410, body: #"{"reason":"Unregistered","timestamp":"soon"}"#).reason
        #expect(reason == .unregistered)
    }

    @Test("Retry-after is read as seconds or as a date, and believed up to a day")
    func retryAfter() throws {
        func wait(_ value: String, date: String? = nil) throws -> Duration? {
            try refusal(429, [("retry-after", value)] + (date.map { [("date", $0)] } ?? [])).retryAfter
        }
        #expect(try wait("30") == .seconds(30))
        #expect(try wait("-5") == .zero)
        #expect(try wait("999999999") == .seconds(86_400))
        #expect(try wait("soon") == nil)
        #expect(try wait("Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT") == .seconds(60))
        #expect(try wait("Sun, 06 Nov 1994 08:50:37 GMT") == nil)
    }

    @Test("Interim answers and trailers change nothing, and a 2xx that is no 200 is unknown")
    func oddities() throws {
        var answer = Answer()
        try receive(HPACKHeaders([(":status", "103")]), in: &answer)
        #expect(answer.result(sent: sent) == nil)
        try receive(HPACKHeaders([(":status", "400")]), in: &answer)
        try receive(HPACKHeaders([("trailer", "x")]), in: &answer)
        #expect(answer.result(sent: sent)?.refusal?.status == 400)
        #expect(try result(204) == .unknown(.unreadableAnswer("status 204")))
    }
}
