internal import DoorstepAPI
package import OrderDomain
package import TimePresentation

extension ProofKind {
    /// The proof in operators' words.
    package var text: String {
        switch self {
        case .pin: "PIN"
        case .photo: "photo"
        case .signature: "signature"
        case .age: "age check"
        case .barcode: "barcode"
        }
    }
}

extension [ProofStateBody] {
    /// The proofs with their results: `PIN passed 18:24 (courier mira); photo missing`.
    package func text(_ times: StoreTimes) -> String {
        map { proof in
            let at = proof.at.map { " " + times.text($0) } ?? ""
            let about = [proof.by, proof.reason].compactMap(\.self).joined(separator: ": ")
            return "\(proof.kind.text) \(proof.state.rawValue)\(at)" + (about.isEmpty ? "" : " (\(about))")
        }.joined(separator: "; ")
    }
}
