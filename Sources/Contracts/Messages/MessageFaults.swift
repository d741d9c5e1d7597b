internal import Foundation
internal import LiveActivity
internal import OrderDomain

// Rejects messages that no service sends. A reader checks a message before it computes with the message or stores any
// of it: within these ranges no sum overflows and every column can hold its value.

/// A message of a durable consumer.
public protocol ConsumedMessage: Decodable, Sendable {
    /// Why a reader must reject the message on this subject; nil for a valid message.
    func fault(on subject: String) -> String?
}

/// The legal ranges of messages' values.
enum WireRange {
    /// Seconds since 1970, to the end of the year 9999.
    static let seconds = 0...253_402_300_799
    /// Versions, steps, episodes, epochs and other counters.
    static let counter = 0...1_000_000_000
    /// Pieces of one item, and the items of one delivery.
    static let pieces = 0...100_000
    static let itemsMax = 1_000
    static let refund = 0...CustomerNotice.refundMinorUnitsMax

    static func contains(_ date: Date) -> Bool {
        (TimeInterval(seconds.lowerBound)...TimeInterval(seconds.upperBound)).contains(date.timeIntervalSince1970)
    }
}

/// Reasons that several kinds of messages give.
enum MessageFault {
    static let subject = "the subject is of other messages"
}

extension DeliveryChanged: ConsumedMessage {
    public func fault(on subject: String) -> String? {
        if !Self.subjects.contains(subject) { return MessageFault.subject }
        if !WireRange.contains(changedAt) { return "a time is out of range" }
        return delivery.wireFault
    }

    static let subjects = [Subject.deliveriesChanged, Subject.deliveriesChangedUnassigned]
}

extension Delivery {
    fileprivate var wireFault: String? {
        let dates = [
            placedAt, originalPromise.start, originalPromise.end, promise.start, promise.end, statusSince,
            promisedAt, steppedBackAt, needsCustomerUntil, pickingSince, pickedUpAt, endedAt, disputedAt, feedback?.at,
            feedback?.settledAt,
            correction?.at, dropOffCorrectedAt, proof?.undecidedSince, proof?.handedOverAt, proof?.claim?.occurredAt,
            proof?.claim?.receivedAt, proof?.doorMovedAt, proof?.attemptedAt, proof?.confirmedAt,
        ]
        if !dates.allSatisfy({ $0.map(WireRange.contains) ?? true }) { return "a time is out of range" }
        let proofDates = (proof?.given ?? []).map(\.at) + (proof?.former ?? []).map(\.at)
        if !proofDates.allSatisfy(WireRange.contains) { return "a time is out of range" }
        let counters = [
            version, episode, assignmentEpoch, stopsBefore, bag.number, bag.count, correction?.number ?? 0,
            correction?.assignmentEpoch ?? 0, addressRequests ?? 0, proof?.wrongPINs ?? 0, formerApproaches ?? 0,
        ]
        if !counters.allSatisfy(WireRange.counter.contains) { return "a counter is out of range" }
        if max(items.count, feedback?.items.count ?? 0) > WireRange.itemsMax { return "there are too many items" }
        for item in items {
            let pieces = [item.quantity, item.foundQuantity, item.substitute?.quantity ?? 0]
            if !pieces.allSatisfy(WireRange.pieces.contains) { return "a quantity is out of range" }
            if !WireRange.counter.contains(item.proposals) { return "a counter is out of range" }
        }
        let refunds = items.map(\.refundMinorUnits) + [refundMinorUnits]
        if !refunds.allSatisfy({ $0.map(WireRange.refund.contains) ?? true }) { return "a refund is out of range" }
        return nil
    }
}

extension EstimateChanged: ConsumedMessage {
    private static let errorsMax = 100
    /// A year: of an arrival in the far past or future.
    private static let errorSecondsMax = 366.0 * 86_400

    public func fault(on subject: String) -> String? {
        if subject != Subject.estimatesChanged { return MessageFault.subject }
        let dates = [estimate.arrivesAt, estimate.earliest, estimate.latest, estimate.madeAt, lastFixAt]
        if !dates.allSatisfy({ $0.map(WireRange.contains) ?? true }) { return "a time is out of range" }
        if ![version, step].allSatisfy(WireRange.counter.contains) { return "a counter is out of range" }
        if let missProbability, !(0...1).contains(missProbability) { return "a probability is not from 0 to 1" }
        let isFar = errors?.contains { $0.seconds.magnitude > Self.errorSecondsMax } ?? false
        if isFar || (errors?.count ?? 0) > Self.errorsMax {
            return "an error of a shown arrival is out of range"
        }
        return nil
    }
}

extension MilestoneReached: ConsumedMessage {
    public func fault(on subject: String) -> String? {
        if subject != Subject.milestonesReached { return MessageFault.subject }
        if ![at, promiseEnd].allSatisfy({ $0.map(WireRange.contains) ?? true }) { return "a time is out of range" }
        if !WireRange.counter.contains(assignmentEpoch) { return "a counter is out of range" }
        return nil
    }
}

extension ProviderReported: ConsumedMessage {
    public func fault(on subject: String) -> String? {
        if subject != Subject.providersReported { return MessageFault.subject }
        let dates = [report.occurredAt, report.receivedAt]
        if !dates.allSatisfy({ $0.map(WireRange.contains) ?? true }) { return "a time is out of range" }
        let texts = [report.id, report.kind, report.sourceName, report.courier?.name]
        if !texts.allSatisfy({ $0.map { (1...ProviderReport.textBytesMax).contains($0.utf8.count) } ?? true }) {
            return "a text has no such length"
        }
        if (report.reason?.utf8.count ?? 0) > ProviderReport.reasonBytesMax { return "a text has no such length" }
        return nil
    }
}

extension ProviderPosition: ConsumedMessage {
    public func fault(on subject: String) -> String? {
        if subject != Subject.providerPositions { return MessageFault.subject }
        return WireRange.contains(at) ? nil : "a time is out of range"
    }
}

extension RevisionDigest {
    /// Why a reader must not compare it; nil for a digest as our writers send it.
    public var fault: String? {
        if revisions.count > Self.revisionsMax { return "there are too many revisions" }
        for revision in revisions {
            if !(1...128).contains(revision.id.utf8.count) || revision.id.utf8.contains(0) { return "an id is none" }
            if ![revision.version, revision.step].allSatisfy(WireRange.counter.contains) {
                return "a counter is out of range"
            }
        }
        return nil
    }
}

extension CardHealthChanged: ConsumedMessage {
    public func fault(on subject: String) -> String? {
        if subject != Subject.cardHealth { return MessageFault.subject }
        if ![cards, behind].allSatisfy(WireRange.counter.contains) || sequence < 0 {
            return "a counter is out of range"
        }
        return nil
    }
}

extension Intent: ConsumedMessage {
    /// The broker restricts each writer to its own subject, so the subject proves the intent's writer; the content
    /// must name the same writer.
    public func fault(on subject: String) -> String? {
        subject == Subject.intents(writer) ? fault : "the subject is of another writer"
    }

    /// Why a reader must reject the intent on any subject; nil for a valid intent.
    public var fault: String? {
        guard let delivery, writer != .activityDispatch else { return "summaries are written by this service alone" }
        if !activity.isEpisode(of: delivery) { return "the activity is of another delivery" }
        if step.attributes.activity != activity.rawValue { return "the attributes are of another activity" }
        return step.wireFault
    }
}

extension ActivityID {
    /// Whether it is the activity of one of a delivery's episodes.
    func isEpisode(of delivery: DeliveryID) -> Bool {
        let prefix = "\(delivery)-"
        guard rawValue.hasPrefix(prefix), let episode = Int(rawValue.dropFirst(prefix.count)) else { return false }
        return self == ActivityID(delivery, episode: episode) && WireRange.counter.contains(episode)
    }
}

extension ActivityStep {
    fileprivate var wireFault: String? {
        let content = content
        if ![content.revision.version, content.revision.step].allSatisfy(WireRange.counter.contains) {
            return "a revision is out of range"
        }
        if !(0...1).contains(content.progress) { return "the progress is not from 0 to 1" }
        var seconds = [content.courier?.silentSince]
        for window in [content.arrival, attributes.promise] { seconds += [window?.from, window?.to] }
        switch self {
        case .show(let shown):
            seconds += [shown.startAt, shown.staleAt, shown.alert?.validUntil, shown.promisedUntil]
        case .ended(let ended):
            seconds += [ended.endedAt, ended.alert?.validUntil]
            if case .after(let kept) = ended.dismissal, !(0...Dismissal.keptSecondsMax).contains(kept) {
                return "the dismissal is out of range"
            }
        }
        if !seconds.allSatisfy({ $0.map(WireRange.seconds.contains) ?? true }) { return "a time is out of range" }
        let counters = [
            attributes.itemCount, attributes.bag?.number, attributes.bag?.count, content.courier?.stopsBefore,
        ]
        if !counters.allSatisfy({ $0.map(WireRange.counter.contains) ?? true }) { return "a counter is out of range" }
        return nil
    }
}
