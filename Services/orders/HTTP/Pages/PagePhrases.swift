import LiveActivity

/// Texts of the customer's page beside the card's own, in the reader's language.
struct PagePhrases: Sendable {
    /// `en` or `da`, as ``LiveActivity/Words`` found it.
    let language: String

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    var items: String { localized("Your items", "Dine varer") }
    var actions: String { localized("What you can do", "Det kan du gøre") }
    var proofTitle: String { localized("Answer or change something", "Svar eller ændr noget") }
    /// - Parameter hasPresses: whether there is anything to answer or change.
    func proofTitleWithAlerts(hasPresses: Bool) -> String {
        hasPresses
            ? localized("Answer, change something, or be notified", "Svar, ændr noget, eller få besked")
            : localized("Be notified", "Få besked")
    }
    var reference: String { localized("Order number", "Ordrenummer") }
    var referenceHelp: String {
        localized(
            "It is on your receipt. The link alone only shows the delivery.",
            "Det står på din kvittering. Linket alene viser kun leveringen.")
    }
    var proofButton: String { localized("Go on", "Fortsæt") }
    var approve: String { localized("Yes, swap it", "Ja, byt den") }
    var refuse: String { localized("No, refund it", "Nej, refunder") }
    var back: String { localized("Back to the delivery", "Tilbage til leveringen") }
    var noConnection: String {
        localized(
            "No connection since {time}. What you see is from then.",
            "Ingen forbindelse siden kl. {time}. Det, du ser, er fra da.")
    }
    /// Beside the link in a message, to whoever it is sent to.
    var preview: String { localized("Your groceries, live to the door", "Dine varer, direkte til døren") }

    var footer: String {
        localized("This page updates by itself.", "Siden opdaterer sig selv.")
    }
    var outdated: String {
        localized(
            "The courier's position is not available just now; the time of arrival may have changed.",
            "Buddets position er ikke tilgængelig lige nu; ankomsttiden kan have ændret sig.")
    }

    // MARK: Alerts

    var alertsTitle: String { localized("Notifications", "Beskeder") }
    var alertsText: String {
        localized(
            "When the courier is near, at the door, or the store has a question, also while this page is closed.",
            "Når buddet er tæt på, ved døren, eller butikken har et spørgsmål, også når siden er lukket.")
    }
    var alertsOn: String { localized("Notify me on this device", "Giv mig besked på denne enhed") }
    var alertsOff: String { localized("Stop notifying me", "Giv mig ikke besked mere") }
    var alertsAreOn: String { localized("You are notified on this device.", "Du får besked på denne enhed.") }
    var alertsBlocked: String {
        localized(
            "The browser blocks notifications of this site. Allow them in its settings.",
            "Browseren blokerer beskeder fra siden. Tillad dem i dens indstillinger.")
    }
    var alertsFailed: String {
        localized("That did not work just now. Try again in a moment.", "Det lykkedes ikke lige nu. Prøv igen om lidt.")
    }

    // MARK: Faults

    var noReference: String { localized("Give the order's number first.", "Skriv ordrens nummer først.") }

    var wrongReference: String {
        localized("That is not this order's number. Check it and try again.", "Det er ikke ordrens nummer. Prøv igen.")
    }

    func tooManyAttempts(at moment: String) -> String {
        localized(
            "Too many wrong numbers. Try again at \(moment), or call the store.",
            "For mange forkerte numre. Prøv igen \(moment), eller ring til butikken.")
    }

    var notSentFromHere: String {
        localized(
            "This was not sent from this page. Nothing has changed.",
            "Det blev ikke sendt fra denne side. Intet er ændret.")
    }

    var notFound: (title: String, text: String) {
        (
            localized("There is nothing here", "Her er ikke noget"),
            localized(
                "Check that the whole link was copied, or ask the store for another.",
                "Tjek, at hele linket er kopieret, eller bed butikken om et nyt.")
        )
    }

    var expired: (title: String, text: String) {
        (
            localized("This link has expired", "Linket er udløbet"),
            localized(
                "Open the newest link that you were sent, or ask the store for one.",
                "Åbn det nyeste link, du har fået, eller bed butikken om et.")
        )
    }

    var revoked: (title: String, text: String) {
        (
            localized("The store has revoked this link", "Butikken har trukket linket tilbage"),
            localized("Ask the store for another.", "Bed butikken om et nyt.")
        )
    }

    // MARK: Presses

    /// `: 4.50 kr. more`, in the words of the language; empty for the same price, and where it is not known.
    private func priceDifference(_ difference: Amount?) -> String {
        guard let difference, difference.minorUnits != 0 else { return "" }
        let amount = Words(locale: language).text(difference)
        return ": \(amount) \(difference.minorUnits > 0 ? localized("more", "mere") : localized("less", "mindre"))"
    }

    /// What a press would do, as a question or an offer.
    ///
    /// - Parameter swap: of a press that answers a proposal.
    func prompt(_ verb: Verb, _ swap: ProposedSwap) -> String {
        let (item, substitute) = (swap.item, swap.substitute)
        return switch verb {
        case .details: items
        case .contactCourier: localized("Call the courier", "Ring til buddet")
        case .leaveAtDoor: localized("Leave it at the door?", "Skal det stilles ved døren?")
        case .approveSubstitution:
            localized(
                "Take \(substitute ?? "the substitute") instead of \(item ?? "the item")",
                "Tag \(substitute ?? "erstatningen") i stedet for \(item ?? "varen")")
                + priceDifference(swap.difference) + "?"
        case .refuseSubstitution:
            localized(
                "Refuse \(substitute ?? "the substitute") and get \(item ?? "the item") refunded?",
                "Vil du afvise \(substitute ?? "erstatningen") og få \(item ?? "varen") refunderet?")
        case .cancel: localized("Cancel this delivery?", "Vil du annullere leveringen?")
        }
    }

    /// What follows from a press that cannot be taken back; nil for others.
    func consequence(_ verb: Verb) -> String? {
        switch verb {
        case .cancel:
            localized(
                "It cannot be taken back. Nothing will be delivered.",
                "Det kan ikke fortrydes. Der bliver ikke leveret noget.")
        case .details, .contactCourier, .leaveAtDoor, .approveSubstitution, .refuseSubstitution: nil
        }
    }

    /// The button that does it.
    func confirm(_ verb: Verb) -> String {
        switch verb {
        case .details, .contactCourier: proofButton
        case .leaveAtDoor: localized("Yes, leave it at the door", "Ja, stil det ved døren")
        case .approveSubstitution: approve
        case .refuseSubstitution: refuse
        case .cancel: localized("Yes, cancel the delivery", "Ja, annuller leveringen")
        }
    }

    /// What a press has done.
    func done(_ verb: Verb, _ swap: ProposedSwap) -> String {
        let (item, substitute) = (swap.item, swap.substitute)
        return switch verb {
        case .details, .contactCourier: items
        case .leaveAtDoor: localized("It will be left at the door.", "Det bliver stillet ved døren.")
        case .approveSubstitution:
            localized(
                "\(substitute ?? "The substitute") comes instead of \(item ?? "the item")",
                "\(substitute ?? "Erstatningen") kommer i stedet for \(item ?? "varen")")
                + priceDifference(swap.difference)
        case .refuseSubstitution:
            localized("\(item ?? "The item") will be refunded.", "\(item ?? "Varen") bliver refunderet.")
        case .cancel: localized("The delivery is cancelled.", "Leveringen er annulleret.")
        }
    }

    /// Why it cannot be done any more.
    func tooLate(_ verb: Verb) -> String {
        switch verb {
        case .details, .contactCourier:
            localized("No courier can be called now.", "Der er ikke noget bud at ringe til nu.")
        case .leaveAtDoor:
            localized(
                "How it is handed over cannot be changed any more.",
                "Det kan ikke længere ændres, hvordan det afleveres.")
        case .approveSubstitution, .refuseSubstitution:
            localized("This question is no longer open.", "Spørgsmålet er ikke længere åbent.")
        case .cancel:
            localized(
                "It is too late to cancel here. Call the store.", "Det er for sent at annullere her. Ring til butikken."
            )
        }
    }
}
