import OrderDomain

/// Texts of a courier's page, in the reader's language.
struct CourierPhrases: Sendable {
    /// `en` or `da`, as ``LiveActivity/Words`` found it.
    let language: String

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    // MARK: Page

    var title: String { localized("Your stops", "Dine stop") }
    var nothing: String { localized("Nothing to deliver right now.", "Der er ikke noget at levere lige nu.") }
    var ended: String { localized("Done", "Færdige") }
    var call: String { localized("Call", "Ring op") }
    var route: String { localized("Show the way", "Vis vej") }
    var undo: String { localized("Undo", "Fortryd") }
    var problem: String { localized("Something is wrong", "Der er et problem") }

    var footer: String {
        localized(
            "Only you should have this page's link. It stays good until the shop takes it back.",
            "Kun du må have linket til denne side. Det virker, indtil butikken trækker det tilbage.")
    }

    var noConnection: String {
        localized(
            "No connection since {time}. What you press is kept and sent later.",
            "Ingen forbindelse siden kl. {time}. Det, du trykker, gemmes og sendes senere.")
    }

    var unsent: String { localized("Not sent yet: {what}", "Ikke sendt endnu: {what}") }

    var refused: String {
        localized(
            "Not done: {what}. The delivery is no longer where you had it; see below.",
            "Ikke gjort: {what}. Leveringen er ikke længere der, hvor du så den; se nedenfor.")
    }

    var counted: String {
        localized(
            "Too late to undo: {what} counts already. Call the store.",
            "For sent at fortryde: {what} gælder allerede. Ring til butikken.")
    }

    // MARK: Stop

    func number(_ number: Int) -> String { localized("Stop \(number)", "Stop \(number)") }

    func status(_ delivery: Delivery) -> String {
        switch delivery.status {
        case .preparing(.staged, .atStore): localized("At the store, packed", "I butikken, pakket")
        case .preparing(.staged, _): localized("Packed: fetch it", "Pakket: hent den")
        case .preparing(_, .atStore): localized("At the store, being packed", "I butikken, pakkes stadig")
        case .preparing: localized("Being packed", "Pakkes")
        case .handedOver(.pickedUp), .handedOver(.enRoute): localized("With you", "Hos dig")
        case .handedOver(.arriving): localized("Almost there", "Næsten fremme")
        case .handedOver(.atDoor): localized("At the door", "Ved døren")
        case .handedOver(.attempted): localized("Nobody home", "Ingen hjemme")
        case .handedOver(.returning): localized("Going back", "På vej retur")
        case .handedOver(.delivered): localized("Handed over", "Afleveret")
        case .handedOver(.returned): localized("Brought back", "Bragt retur")
        case .handedOver(.cancelled): localized("Cancelled", "Annulleret")
        case .handedOver(.failed): localized("Failed", "Mislykket")
        }
    }

    var onHold: String { localized("On hold: wait for the shop", "Sat på pause: vent på butikken") }
    func due(_ clock: String) -> String { localized("by \(clock)", "inden \(clock)") }

    var fetchAt: String { localized("Fetch at", "Hent hos") }
    var order: String { localized("Order", "Ordre") }
    var floor: String { localized("Floor", "Etage") }
    var doorCode: String { localized("Door code", "Dørkode") }
    var bag: String { localized("Bag", "Pose") }

    func bag(_ bag: Bag, items: Int) -> String {
        let pieces = localized(items == 1 ? "1 item" : "\(items) items", items == 1 ? "1 vare" : "\(items) varer")
        return bag.count == 1
            ? pieces : localized("\(bag.number) of \(bag.count)", "\(bag.number) af \(bag.count)") + ", " + pieces
    }

    /// What to do at the door; nil where it is handed to whoever opens.
    func handoff(_ handoff: Handoff) -> String? {
        if handoff.method == .leaveAtDoor { return localized("Leave it at the door", "Stil den ved døren") }
        return switch handoff.verification {
        case .none: nil
        case .pin: localized("Ask for the PIN", "Bed om pinkoden")
        case .signature: localized("Get a signature", "Få en underskrift")
        case .idAge: localized("Check age by ID", "Tjek alder med legitimation")
        case .barcode: localized("Scan the code", "Scan koden")
        case .photo: localized("Take a photo", "Tag et billede")
        }
    }

    // MARK: Presses

    func button(_ action: CourierAction) -> String {
        switch action {
        case .atStore: localized("I am at the store", "Jeg er i butikken")
        case .pickedUp: localized("Picked up", "Hentet")
        case .atDoor: localized("I am at the door", "Jeg er ved døren")
        case .handedOver: localized("Handed over", "Afleveret")
        case .nobodyHome: localized("Nobody home", "Ingen hjemme")
        case .bringingBack: localized("Bring it back", "Kør den retur")
        case .broughtBack: localized("Back at the store", "Tilbage i butikken")
        case .problem(let problem): text(problem)
        case .solved: localized("It is solved: go on", "Det er løst: fortsæt")
        }
    }

    private func text(_ problem: CourierProblem) -> String {
        switch problem {
        case .storeNotReady: localized("The store has not packed it", "Butikken har ikke pakket den")
        case .itemsMissing: localized("Something is missing", "Der mangler noget")
        case .addressNotFound: localized("I cannot find the address", "Jeg kan ikke finde adressen")
        case .noAccess: localized("I cannot get to the door", "Jeg kan ikke komme hen til døren")
        case .damaged: localized("The goods are damaged", "Varerne er beskadiget")
        case .vehicle: localized("My vehicle has broken down", "Mit køretøj er brudt sammen")
        case .unsafe: localized("It is not safe to go on", "Det er ikke sikkert at fortsætte")
        }
    }

    /// What waits and can be undone still.
    func waiting(_ action: CourierAction) -> String {
        localized(
            "Pressed: \(button(action)). It counts in a few seconds.",
            "Trykket: \(button(action)). Det gælder om få sekunder.")
    }

    /// What was pressed and not done, since the delivery had gone on.
    func notDone(_ action: CourierAction) -> String {
        localized(
            "Not done: \(button(action)). The delivery had changed.",
            "Ikke gjort: \(button(action)). Leveringen var ændret.")
    }

    // MARK: Position

    var sharing: String { localized("Your position", "Din position") }

    var sharingText: String {
        localized(
            "If you share it, customers see when you arrive. It is sent only while this page is open and you have something "
                + "to deliver, and you can stop at any time.",
            "Hvis du deler den, kan kunderne se, hvornår du kommer. Den sendes kun, mens siden er åben, og du har noget at "
                + "levere, og du kan stoppe når som helst.")
    }

    var startSharing: String { localized("Share my position", "Del min position") }
    var stopSharing: String { localized("Stop sharing", "Stop deling") }
    var sharingOff: String { localized("Your position is not shared.", "Din position deles ikke.") }
    var sharingIdle: String {
        localized("Not shared: you have nothing to deliver.", "Deles ikke: du har ikke noget at levere.")
    }
    var shared: String { localized("Your position is shared.", "Din position deles.") }
    var sharingUnsent: String {
        localized(
            "No connection: positions are kept and sent later.",
            "Ingen forbindelse: positioner gemmes og sendes senere.")
    }
    var sharingDenied: String {
        localized(
            "The browser may not know your position. Allow it in its settings.",
            "Browseren må ikke kende din position. Tillad det i dens indstillinger.")
    }
    var sharingUnknown: String {
        localized("The phone cannot find its position just now.", "Telefonen kan ikke finde sin position lige nu.")
    }
    var sharingRevoked: String {
        localized("The shop has taken this phone's access back.", "Butikken har trukket telefonens adgang tilbage.")
    }

    var sharingMissing: String {
        localized(
            "To share it, ask the store for the link that doorstep courier enroll prints.",
            "Bed butikken om et link med adgang for at dele den.")
    }

    // MARK: Faults

    var notPossible: String {
        localized(
            "That is not possible any more. The page is up to date now.",
            "Det kan ikke lade sig gøre længere. Siden er opdateret nu.")
    }

    var tooLate: String {
        localized(
            "It could not be undone: it counts already. Call the store.",
            "Det kunne ikke fortrydes: det gælder allerede. Ring til butikken.")
    }

    var notFound: (title: String, text: String) {
        (
            localized("There is nothing here", "Her er ikke noget"),
            localized("Ask the store for your link.", "Bed butikken om dit link.")
        )
    }

    var revoked: (title: String, text: String) {
        (
            localized("The shop has taken this link back", "Butikken har trukket linket tilbage"),
            localized("Ask the store for another.", "Bed butikken om et nyt.")
        )
    }
}
