import ActivityKit
import Foundation
import LiveActivity
import Testing

@Suite("An app that shows deliveries")
struct AppTests {
    static let sixPM = 1_795_280_400

    static func delivery(_ status: DeliverySnapshot.Status, version: Int) -> DeliverySnapshot {
        let promise = Window(from: sixPM + 900, to: sixPM + 2700)
        return DeliverySnapshot(
            activity: "a-1", delivery: "a", reference: "G-1042", store: "Nordhavn", timeZone: "Europe/Copenhagen",
            bag: .init(number: 1, count: 1), itemCount: 18, foundCount: 18, substitutedCount: 0, status: status,
            courierStatus: nil, flags: [], courier: Courier(name: "Mira", vehicle: "bicycle"), promise: promise,
            originalPromise: promise, isLeftAtDoor: true, proposal: nil,
            links: [.init(verb: .details, url: "https://doorstep.example/l/abc")], version: version, statusSince: sixPM,
            endedAt: status == .delivered ? sixPM + 1620 : nil, pickingSince: sixPM - 1800)
    }

    @Test("It starts, updates and ends a card from steps alone")
    func steps() async throws {
        let arrival = Window(from: Self.sixPM + 1440, to: Self.sixPM + 1860)
        guard
            case .show(let first) = ActivityStep.after(Self.delivery(.enRoute, version: 7), arrival: arrival, step: 1),
            case .show(let second) = ActivityStep.after(Self.delivery(.arriving, version: 8), arrival: arrival, step: 0),
            case .ended(let end) = ActivityStep.after(Self.delivery(.delivered, version: 9), arrival: nil, step: 0)
        else {
            Issue.record("a live delivery shows, and a delivered one has ended")
            return
        }
        let activity = try Activity.request(attributes: first.attributes, content: first.activityContent)
        #expect(activity.content.staleDate == Date(timeIntervalSince1970: TimeInterval(arrival.to)))
        let words = Words(locale: "da")
        #expect(words.headline(activity.content.state, activity.attributes, now: Self.sixPM) == "Mira er på vej")
        await activity.update(second.activityContent)
        #expect(
            words.headline(activity.content.state, activity.attributes, now: Self.sixPM) == "Mira er næsten hos dig")
        #expect(activity.content.state.timerRange(now: Self.sixPM) == Self.sixPM...arrival.to)
        #expect(activity.content.relevanceScore == second.relevance)
        await activity.end(end.activityContent, dismissalPolicy: end.dismissalPolicy(now: end.endedAt + 1))
        #expect(
            ActivityKitStandIn.dismissal(of: activity.id)
                == .after(Date(timeIntervalSince1970: TimeInterval(end.endedAt + 900))))
        #expect(
            words.headline(activity.content.state, activity.attributes, now: Self.sixPM)
                == "Stillet ved din dør kl. 18:27")
        #expect(activity.content.state.buttons.map { words.title($0, in: activity.content.state) } == ["Detaljer"])
    }

    @Test("It decodes every payload that was promised, as the system does: with default strategies")
    func payloads() async throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../../Domain/LiveActivityTests/Golden")
            .standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 90)
        for file in files {
            let aps = try JSONDecoder().decode(PushPayload.self, from: Data(contentsOf: file)).aps
            guard aps.event == .start else { continue }
            let attributes = try #require(aps.attributes)
            let activity = try Activity.request(
                attributes: attributes,
                content: ActivityContent(
                    state: aps.contentState,
                    staleDate: aps.staleDate.map { Date(timeIntervalSince1970: TimeInterval($0)) },
                    relevanceScore: aps.relevanceScore ?? 0))
            let label = activity.content.state.spokenLabel(attributes, words: Words(locale: "en"), now: aps.timestamp)
            #expect(label.hasSuffix(".") && !activity.content.state.symbolName.isEmpty)
        }
    }
}
