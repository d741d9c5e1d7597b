internal import Foundation
internal import Synchronization
internal import WireCoding

/// The faults of one body, collected while ``LocatingDecoder`` decodes it.
///
/// A reference type, since the decoders of its parts receive it in their `userInfo`.
final class BodyFaults: Sendable {
    /// The most faults reported of one body; more indicate a body of another type.
    static let faultsMax = 50
    static let userInfoKey = CodingUserInfoKey(rawValue: "dev.doorstep.body-faults")!

    private struct State {
        var faults: [Problem.FieldError] = []
        /// The objects of the body by their places, in the order in which they were met.
        var objects: [(place: String, present: [String], asked: Set<String>)] = []
        var indexes: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let standIns: StandIns?

    /// - Parameter standIns: parts that are decoded in place of faulty ones; without, the first fault is thrown.
    init(standIns: StandIns?) { self.standIns = standIns }

    /// The parts that could not be decoded, in the order of the type's properties.
    var faultyParts: [Problem.FieldError] { state.withLock { $0.faults } }

    /// The unknown properties, with the known ones of their types; complete when the whole body was decoded.
    var unknownProperties: [Problem.FieldError] {
        let objects = state.withLock { $0.objects }
        let faults = objects.lazy.flatMap { object in
            object.present.filter { !object.asked.contains($0) }.sorted().map { name in
                Problem.FieldError(
                    path: object.place.isEmpty ? name : "\(object.place).\(name)", message: "is not a known property",
                    allowed: object.asked.sorted())
            }
        }
        return Array(faults.prefix(Self.faultsMax))
    }

    /// Notes the properties that an object has.
    ///
    /// - Returns: the object's number, for ``ask(_:of:)``.
    func meet(_ place: [any CodingKey], having names: [String]) -> Int {
        let place = pathText(place)
        return state.withLock { state in
            if let known = state.indexes[place] { return known }
            state.indexes[place] = state.objects.count
            state.objects.append((place: place, present: names, asked: []))
            return state.objects.count - 1
        }
    }

    /// Notes that the type of an object has a property of this name.
    func ask(_ name: String, of object: Int) {
        state.withLock { state in _ = state.objects[object].asked.insert(name) }
    }

    /// A stand-in for a part that could not be decoded; records the part's fault unless a fault inside of it is
    /// recorded.
    ///
    /// - Throws: the fault, as ``FaultyPart``, where no stand-in exists, and where there are ``faultsMax`` already:
    ///   that bounds the cost of a faulty body.
    func standIn<Value: Decodable>(
        for type: Value.Type, at place: [any CodingKey], after error: any Error
    ) throws -> Value {
        let fault = (error as? FaultyPart)?.fault ?? fieldError(of: error, decoding: type, at: place)
        let isFull = state.withLock { $0.faults.count >= Self.faultsMax }
        guard !isFull, let value = standIns?.value(type, at: place) else { throw FaultyPart(fault: fault) }
        let path = pathText(place)
        state.withLock { state in
            let isKnown = state.faults.contains { $0.path == path || $0.path.isInside(path) }
            if !isKnown { state.faults.append(fault) }
        }
        return value
    }
}

/// A part of a body that cannot be decoded, and nothing stands in for it.
struct FaultyPart: Error {
    let fault: Problem.FieldError
}

/// The parts of a body without faults.
struct StandIns: Sendable {
    private let example: Data

    /// Nil where the example cannot be encoded, which a test of every example excludes.
    init?(_ example: some Encodable) {
        // A test encodes every example, so that no request meets this error.
        guard let data = try? WireJSON.encode(example) else { return nil }
        self.example = data
    }

    /// The part at a place, the first of a list standing for each of its elements; nil where there is none.
    func value<Value: Decodable>(_ type: Value.Type, at place: [any CodingKey]) -> Value? {
        // The example was encoded above, so it parses.
        guard var part = try? JSONSerialization.jsonObject(with: example, options: .fragmentsAllowed) else {
            return nil
        }
        for key in place {
            let next = key.intValue == nil ? (part as? [String: Any])?[key.stringValue] : (part as? [Any])?.first
            guard let next else { return nil }
            part = next
        }
        // A part of a parsed document always serializes.
        guard let data = try? JSONSerialization.data(withJSONObject: part, options: .fragmentsAllowed) else {
            return nil
        }
        // A part that does not decode as the type has no stand-in, and its fault alone is reported.
        return try? WireJSON.decode(type, from: data)
    }
}

extension String {
    /// Whether the place is a part of another: `door.latitude` of `door`.
    func isInside(_ place: String) -> Bool {
        guard hasPrefix(place) else { return false }
        let rest = dropFirst(place.count)
        return place.isEmpty ? !rest.isEmpty : rest.first == "." || rest.first == "["
    }
}
