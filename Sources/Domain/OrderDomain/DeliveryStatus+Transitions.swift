/// A transition that the matrix does not have.
public struct InvalidTransition: Error, Hashable, Sendable, CustomStringConvertible {
    public let from: DeliveryStatus
    public let to: StatusCode
    /// The allowed codes, in rank order.
    public let allowed: [StatusCode]

    public var description: String {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return "\(fromCode.rawValue) cannot become \(to.rawValue); allowed: \(names.isEmpty ? "nothing" : names)"
    }

    /// The present code in the region that was asked to move.
    private var fromCode: StatusCode {
        if case .courier = to.region, let courier = from.courierStatus { return courier.code }
        return from.code
    }
}

extension DeliveryStatus {
    /// The status that follows when `code` is asked for.
    ///
    /// A cancel after pickup becomes `returning`: the goods have left and must come back.
    /// An end allows no transition here; `reopened(as:)` reopens.
    /// - Throws: ``InvalidTransition`` with the allowed codes.
    public func moved(to code: StatusCode) throws(InvalidTransition) -> DeliveryStatus {
        guard let next = next(code) else {
            throw InvalidTransition(from: self, to: code, allowed: allowed)
        }
        return next
    }

    /// The codes that `moved(to:)` accepts from here, in rank order, without a cancel after pickup.
    public var allowed: [StatusCode] {
        StatusCode.allCases.filter { code in
            if code == .cancelled, case .handedOver = self { return false }
            return next(code) != nil
        }
        .sorted { ($0.rank, $0.rawValue) < ($1.rank, $1.rawValue) }
    }

    /// The status that an operator sets an ended delivery to; nil for a live delivery, a courier's code, or the same end.
    public func reopened(as code: StatusCode) -> DeliveryStatus? {
        guard isEnded else { return nil }
        switch code.region {
        case .store(let store): return .preparing(store, .unassigned)
        case .courier: return nil
        case .tail(let tail): return self == .handedOver(tail) ? nil : .handedOver(tail)
        }
    }

    /// Whether a change to the other status ends an approach to the door, of which another has to follow.
    func isApproachAbandoned(by next: DeliveryStatus) -> Bool {
        guard case .handedOver(let tail) = self, next == .handedOver(.enRoute) || next == .handedOver(.pickedUp) else {
            return false
        }
        switch tail {
        case .arriving, .atDoor, .attempted, .returning: return true
        case .pickedUp, .enRoute, .delivered, .returned, .cancelled, .failed: return false
        }
    }

    private func next(_ code: StatusCode) -> DeliveryStatus? {
        switch (self, code.region) {
        case (.preparing(let store, let courier), .store(let next)):
            return store.leads(to: next) ? .preparing(next, courier) : nil
        case (.preparing(let store, let courier), .courier(let next)):
            return courier.leads(to: next) ? .preparing(store, next) : nil
        case (.preparing(let store, let courier), .tail(let next)):
            switch next {
            case .pickedUp:
                let isPacked = store == .picking || store == .staged
                return isPacked && courier != .unassigned ? .handedOver(.pickedUp) : nil
            case .cancelled:
                return .handedOver(.cancelled)
            case .enRoute, .arriving, .atDoor, .attempted, .returning, .delivered, .returned, .failed:
                return nil
            }
        case (.handedOver(let tail), .tail(.cancelled)):
            return tail.leads(to: .returning) ? .handedOver(.returning) : nil
        case (.handedOver(let tail), .tail(let next)):
            return tail.leads(to: next) ? .handedOver(next) : nil
        case (.handedOver, .store), (.handedOver, .courier):
            return nil
        }
    }
}

extension Delivery {
    /// The codes that may follow, in rank order, without those that need a courier while there is none.
    public var allowed: [StatusCode] { status.allowed.filter { courier != nil || !$0.needsCourier } }

    /// The status that follows when `code` is asked for.
    func nextStatus(_ code: StatusCode) throws(ChangeRefusal) -> DeliveryStatus {
        let next: DeliveryStatus
        do { next = try status.moved(to: code) } catch {
            throw .transition(InvalidTransition(from: error.from, to: error.to, allowed: allowed))
        }
        if code.needsCourier, courier == nil { throw .courierMissing }
        return next
    }
}

extension StoreStatus {
    fileprivate func leads(to next: StoreStatus) -> Bool {
        switch (self, next) {
        case (.placed, .accepted), (.accepted, .picking), (.picking, .staged), (.staged, .picking): true
        case (.placed, _), (.accepted, _), (.picking, _), (.staged, _): false
        }
    }
}

extension CourierStatus {
    fileprivate func leads(to next: CourierStatus) -> Bool {
        switch (self, next) {
        case (.unassigned, .unassigned): false
        case (_, .unassigned): true
        case (.unassigned, _): true
        case (.assigned, .toStore), (.assigned, .atStore), (.toStore, .atStore): true
        case (.assigned, _), (.toStore, _), (.atStore, _): false
        }
    }
}

extension TailStatus {
    fileprivate func leads(to next: TailStatus) -> Bool {
        switch (self, next) {
        case (.delivered, _), (.returned, _), (.cancelled, _), (.failed, _): false
        case (_, .failed): true
        case (.pickedUp, .enRoute), (.pickedUp, .arriving), (.pickedUp, .atDoor), (.pickedUp, .delivered): true
        case (.enRoute, .arriving), (.enRoute, .atDoor), (.enRoute, .delivered): true
        case (.arriving, .atDoor), (.arriving, .delivered): true
        case (.atDoor, .delivered), (.atDoor, .attempted): true
        case (.attempted, .enRoute), (.attempted, .atDoor), (.attempted, .returning): true
        case (.pickedUp, .returning), (.enRoute, .returning), (.arriving, .returning), (.atDoor, .returning): true
        case (.returning, .returned): true
        case (.pickedUp, _), (.enRoute, _), (.arriving, _), (.atDoor, _), (.attempted, _), (.returning, _): false
        }
    }
}
