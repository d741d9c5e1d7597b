extension Delivery {
    /// The delivery with each of its couriers replaced: the present one, the one who still has the goods, and that of a
    /// report that waits for a proof.
    public func replacingCouriers(_ replace: (Courier) throws -> Courier) rethrows -> Delivery {
        var delivery = self
        delivery.courier = try courier.map(replace)
        delivery.fetchedFrom = try fetchedFrom.map(replace)
        if let claim = proof?.claim, let reported = claim.courier {
            delivery.proof?.claim = claim.with(courier: try replace(reported))
        }
        return delivery
    }

    /// The delivery without couriers' numbers.
    public var withoutNumbers: Delivery {
        replacingCouriers { Courier(id: $0.id, name: $0.name, vehicle: $0.vehicle, phone: nil) }
    }
}

extension ProviderReport {
    /// The report with another description of its courier.
    public func with(courier: Courier) -> ProviderReport {
        ProviderReport(
            source: source, sourceName: sourceName, id: id, kind: kind, status: status, courier: courier,
            occurredAt: occurredAt, receivedAt: receivedAt, reason: reason, isLate: isLate, proofs: proofs,
            successor: successor)
    }
}
