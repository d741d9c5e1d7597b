import DirectJSON
import LiveActivity

extension Push {
    /// The payload's copy for the ledger, as JSON: enough to draw the phone's screen, in few bytes.
    ///
    /// Links and the PIN are credentials and are omitted, as are the alert and the texts derived from a code.
    var ledgerText: String? {
        var aps = payload.aps
        aps.alert = nil
        aps.inputPushToken = nil
        aps.contentState.pin = nil
        aps.contentState.headline = aps.contentState.headline.withoutText
        aps.contentState.detail = aps.contentState.detail?.withoutText
        aps.contentState.buttons = aps.contentState.buttons.map { CardButton(verb: $0.verb, title: "", url: "") }
        // The push itself was encoded and checked; without a text its ledger row lacks only the content.
        return (try? DirectJSONEncoder().encode(PushPayload(aps: aps))).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Phrase {
    fileprivate var withoutText: Phrase { Phrase(code: code, values: values, text: "") }
}
