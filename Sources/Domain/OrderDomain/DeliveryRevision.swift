/// The properties of a delivery that decide which services receive it; decodes from a whole delivery's document.
public struct DeliveryRevision: Hashable, Decodable, Sendable {
    public let id: DeliveryID
    public let status: DeliveryStatus
    public let flags: Set<Flag>
    public let courier: CourierID?
    public let assignmentEpoch: Int
    public let version: Int
    public let episode: Int

    public var holder: Holder { Holder(status, flags: flags) }
    /// Whether no courier was ever assigned.
    public var isUnassigned: Bool { assignmentEpoch == 0 && courier == nil }

    public init(_ delivery: Delivery) {
        id = delivery.id
        status = delivery.status
        flags = delivery.flags
        courier = delivery.courier?.id
        assignmentEpoch = delivery.assignmentEpoch
        version = delivery.version
        episode = delivery.episode
    }

    private enum CodingKeys: String, CodingKey {
        case id, status, flags, courier, assignmentEpoch, version, episode
    }

    private struct Named: Decodable {
        let id: CourierID
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(DeliveryID.self, forKey: .id)
        status = try container.decode(DeliveryStatus.self, forKey: .status)
        flags = try container.decode(Set<Flag>.self, forKey: .flags)
        courier = try container.decodeIfPresent(Named.self, forKey: .courier)?.id
        assignmentEpoch = try container.decode(Int.self, forKey: .assignmentEpoch)
        version = try container.decode(Int.self, forKey: .version)
        episode = try container.decode(Int.self, forKey: .episode)
    }
}
