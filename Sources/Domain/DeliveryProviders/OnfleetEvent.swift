internal import Foundation
internal import OrderDomain

/// Onfleet: a trigger by number and name, once a task each.
///
/// - Source: docs.onfleet.com/reference/webhooks; `location` is longitude, then latitude.
enum OnfleetEvent {
    private static let names: [Int: String] = [
        0: "taskStarted", 1: "taskEta", 2: "taskArrival", 3: "taskCompleted", 4: "taskFailed", 5: "workerDuty",
        6: "taskCreated", 7: "taskUpdated", 8: "taskDeleted", 9: "taskAssigned", 10: "taskUnassigned",
        12: "taskDelayed", 13: "taskCloned",
    ]
    private static let meanings: [String: ReadEvent.Meaning] = [
        "taskAssigned": .status(.assigned), "taskUnassigned": .status(.unassigned),
        "taskStarted": .status(.enRoute), "taskEta": .nothing, "taskArrival": .status(.arriving),
        "taskCompleted": .status(.delivered), "taskFailed": .status(.attempted), "taskDeleted": .status(.cancelled),
        "taskDelayed": .late, "workerDuty": .nothing, "taskCreated": .nothing, "taskUpdated": .nothing,
        "taskCloned": .nothing,
    ]

    static func event(in document: ProviderDocument, receivedAt: Date) throws(UnreadableBody) -> ReadEvent {
        let number = document["triggerId"].double.flatMap { Int(exactly: $0) }
        guard let kind = document["triggerName"].name ?? number.map({ names[$0] ?? "trigger \($0)" }) else {
            throw UnreadableBody("triggerId is missing")
        }
        let task = document["taskId"].name ?? document["data"]["task"]["id"].name
        guard let reference = task ?? document["workerId"].name else { throw UnreadableBody("taskId is missing") }
        let stamp = document["time"].name ?? ""
        var event = ReadEvent(
            provider: .onfleet, key: [kind, reference, stamp].joined(separator: "|"), kind: kind,
            references: task.map { [$0] } ?? [], receivedAt: receivedAt)
        event.occurredAt = document["time"].time(received: receivedAt)
        event.meaning = meanings[kind]
        let (details, worker) = (document["data"]["task"], document["data"]["worker"])
        let completion = details["completionDetails"]
        event.reason = completion["failureReason"].name.flatMap { $0 == "NONE" ? nil : $0 }
        // A failed task has uploads too, such as the photo of a closed door.
        if kind != "taskFailed", completion["success"].flag != false {
            if completion["signatureUploadId"].name != nil { event.proofs.append(.signature) }
            if completion["photoUploadId"].name != nil || completion["photoUploadIds"][0].name != nil {
                event.proofs.append(.photo)
            }
        }
        let workerID = document["workerId"].name ?? worker["id"].name ?? details["worker"].name
        event.courier = ReadCourier(id: workerID, name: worker["name"].name, phone: worker["phone"].name)
        let location = worker["location"]
        if let longitude = location[0].double, let latitude = location[1].double, workerID != nil {
            event.place = Coordinate(latitude: latitude, longitude: longitude)
        }
        return event
    }
}
