import Foundation
import OrderDomain

/// The fields of corrections: each text is named as its ``CorrectedField``, the door's position `door`.
extension ChangeForm {
    /// The texts of a drop-off's form, in its order, each with its most characters, as `orders` has them.
    static let dropOffFields: KeyValuePairs<CorrectedField, Int> = [
        .street: 120, .floor: 40, .postalCode: 16, .city: 60, .doorCode: 24, .note: 280,
    ]
    private static let recipientFields: [CorrectedField] = [.recipientName, .recipientPhone]

    /// The drop-off in a form; an empty text removes that text.
    ///
    /// A door that has not moved keeps the position that the form contains in `present`.
    static func dropOff(_ fields: [String: String]) throws(Fault) -> DropOffCorrection {
        let door = try place(fields["sameDoor"] == "true" ? fields["present"] : fields["door"])
        return DropOffCorrection(door: door, texts: texts(dropOffFields.map(\.key), fields))
    }

    /// The recipient in a form; an empty number stays as it is, since operators read no number there.
    static func recipient(_ fields: [String: String]) -> DropOffCorrection {
        var fields = fields
        if fields["removePhone"] == "true" {
            fields[CorrectedField.recipientPhone.rawValue] = ""
        } else if fields[CorrectedField.recipientPhone.rawValue]?.isEmpty == true {
            fields[CorrectedField.recipientPhone.rawValue] = nil
        }
        return DropOffCorrection(texts: texts(recipientFields, fields))
    }

    /// The fields of a form of kind `dropOff` or `recipient`.
    static func fields(of correction: DropOffCorrection) -> [String: String] {
        var fields = Dictionary(uniqueKeysWithValues: correction.texts.map { ($0.key.rawValue, $0.value ?? "") })
        fields["door"] = correction.door.map { text($0) }
        if correction.texts[.recipientPhone] == .some(nil) { fields["removePhone"] = "true" }
        return fields
    }

    /// A position as forms write it: `55.7085, 12.5942`.
    static func text(_ place: Coordinate) -> String { "\(place.latitude), \(place.longitude)" }

    /// - Returns: nil where the form names no position.
    private static func place(_ text: String?) throws(Fault) -> Coordinate? {
        let trimmed = (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { return nil }
        let numbers = trimmed.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw Fault(field: "door", text: "Write the position as 55.7085, 12.5942: latitude, then longitude.")
        }
        return place
    }

    private static func texts(_ names: [CorrectedField], _ fields: [String: String]) -> [CorrectedField: String?] {
        names.reduce(into: [:]) { texts, field in
            guard let written = fields[field.rawValue] else { return }
            let text = written.trimmingCharacters(in: .whitespacesAndNewlines)
            texts.updateValue(text.isEmpty ? nil : text, forKey: field)
        }
    }
}
