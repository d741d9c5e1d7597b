import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain

/// A choice of a filter's field.
struct FilterChoice {
    let id: String
    let name: String

    /// The choices of a field for its template; one that is chosen and none of them is the last.
    static func values(_ all: [FilterChoice], chosen: String?) -> [[String: Any]] {
        var all = all
        if let chosen, !all.contains(where: { $0.id == chosen }) { all.append(FilterChoice(id: chosen, name: chosen)) }
        return all.map { ["id": $0.id, "name": $0.name, "isHere": $0.id == chosen] as [String: Any] }
    }
}

/// The fields for a store and a courier, the same on every page with such a filter.
extension DeskHTTP {
    /// The values of the template `places`, and a sentence for each of the two that nothing is known of.
    ///
    /// - Parameters:
    ///   - couriers: to choose from; nil for a page without that field.
    ///   - areCouriersCut: whether there are more, so that an id can be typed.
    func filterFields(
        store: String?, courier: String? = nil, couriers: [FilterChoice]?, areCouriersCut: Bool = false,
        for reader: SignedIn
    ) async -> [String: Any] {
        let entries = board.entries
        let names = Dictionary(
            entries.map { ($0.row.store.rawValue, $0.row.storeText) }, uniquingKeysWith: { one, _ in one })
        let stores = names.map { FilterChoice(id: $0.key, name: $0.value.withoutDirectionControls) }
        var unknown: [String] = []
        if let store, names[store] == nil,
            let reason = await findStores.unknown(store, of: entries, for: reader.user)
        {
            unknown.append(Self.sentence(reason))
        }
        if let courier, couriers?.contains(where: { $0.id == courier }) == false,
            let reason = await readCouriers.unknown(courier, for: reader.user)
        {
            unknown.append(Self.sentence(reason))
        }
        return [
            "stores": FilterChoice.values(stores.sorted { ($0.name, $0.id) < ($1.name, $1.id) }, chosen: store),
            "hasCouriers": couriers != nil, "areCouriersCut": areCouriersCut, "chosenCourier": courier ?? "",
            "courierChoices": FilterChoice.values(couriers ?? [], chosen: courier), "unknown": unknown,
        ]
    }

    private static func sentence(_ reason: String) -> String {
        let text = reason.prefix(1).uppercased() + reason.dropFirst()
        return (text.hasSuffix(".") ? text : text + ".").withoutDirectionControls
    }
}

extension FilterChoice {
    /// Couriers by their names.
    static func couriers(_ rows: [CouriersBody.Row]) -> [FilterChoice] {
        rows.map {
            FilterChoice(
                id: $0.courier.rawValue, name: ($0.name ?? $0.courier.rawValue).withoutDirectionControls)
        }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }
}
