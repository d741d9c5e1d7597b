/// Danish.
struct DanishWords: WordTable {
    func phrase(_ code: PhraseCode) -> String {
        switch code {
        case .placed: "Vi har modtaget din bestilling"
        case .accepted: "{store} har bekræftet din bestilling"
        case .picking: "{store} plukker dine varer"
        case .staged: "Dine varer er pakket"
        case .pickedUp: "{courier} har hentet dine varer"
        case .pickedUpUnnamed: "Buddet har hentet dine varer"
        case .enRoute: "{courier} er på vej"
        case .enRouteUnnamed: "Dine varer er på vej"
        case .arriving: "{courier} er næsten hos dig"
        case .arrivingUnnamed: "Dine varer er næsten hos dig"
        case .atDoor: "{courier} er ved din dør"
        case .atDoorUnnamed: "Buddet er ved din dør"
        case .attempted: "{courier} kunne ikke få fat i dig"
        case .attemptedUnnamed: "Vi kunne ikke få fat i dig"
        case .returning: "Dine varer er på vej tilbage til {store}"
        case .delivered: "Leveret[ {at:kl. time}]"
        case .deliveredAtDoor: "Stillet ved din dør[ {at:kl. time}]"
        case .returned: "Dine varer er tilbage hos {store}"
        case .cancelled: "Din levering er annulleret"
        case .failed: "Vi kunne ikke levere dine varer"
        case .onHold: "Din levering er sat på pause"
        case .substituteProposed: "{substitute} i stedet for {item}?"
        case .substitutesProposed: "{quantity} × {substitute} i stedet for {item}?"
        case .needsCustomer: "{store} mangler et svar fra dig"
        case .courierSilent: "Intet nyt fra {courier}[ siden {since:kl. time}]"
        case .courierSilentUnnamed: "Intet nyt fra buddet[ siden {since:kl. time}]"

        case .waitingToAccept: "Venter på bekræftelse fra {store}"
        case .pickingNotStarted: "Plukningen er ikke begyndt endnu"
        case .itemsToPick: "{items:# vare|# varer} skal plukkes"
        case .foundOf: "{found} af {items:# vare|# varer} er i posen"
        case .courierUnassigned: "Vi finder et bud til dig"
        case .courierAssigned: "{courier} kommer med varerne"
        case .courierToStore: "{courier} er på vej til {store}"
        case .courierAtStore: "{courier} er hos {store}"
        case .stopsBefore: "{stops:# stop|# stop} før dig"
        case .otherStops: "Flere stop på vejen"
        case .itemsSwapped: "{swapped:# vare|# varer} byttet ud"
        case .itemSoldOut: "{item} var udsolgt"
        case .itemShort: "Kun {packed} af {ordered} × {item}"
        case .itemRemoved: "{item} er taget af ordren"
        case .itemRefunded: "{item} bliver refunderet"
        case .itemsMissing: "{missing:# vare|# varer} mangler"
        case .delayed: "Forsinket, det beklager vi"
        case .rescheduled: "Flyttet til et nyt tidspunkt[: {from:time}–{to:time}]"
        case .rescheduledToDay: "Flyttet til en anden dag[: {from:date} kl. {from:time}–{to:time}]"
        case .reassigning: "Vi finder et andet bud til dig"
        case .reopened: "Vi har genåbnet leveringen"
        case .leftAtDoor: "Stilles ved din dør"
        case .leavingAtDoor: "Varerne stilles ved døren"
        case .openDoor: "Åbn gerne døren"
        case .answerOrRefund: "Svar[ senest {until:kl. time}], ellers refunderes varen"
        case .answerInDetails: "Åbn detaljerne for at svare"
        case .holdExplained: "Vi er ved at løse et problem"
        case .silenceExplained: "Telefonen har måske ikke signal"
        case .notTracked: "Vi følger ikke {courier} undervejs"
        case .standing: "Holder stille[ siden {since:kl. time}]"
        case .contactToHandOver: "Kontakt {courier} for at få dine varer"
        case .triedAgainOrReturned: "Vi prøver igen eller kører dem tilbage til {store}"
        case .noNeedToWait: "Du behøver ikke vente ved døren"
        case .beforePromise: "{minutes:minutes} før tid"
        case .asPromised: "Til tiden"
        case .afterPromise: "{minutes:minutes} forsinket, det beklager vi"
        case .nothingDelivered: "Der bliver ikke leveret noget"
        case .contactStore: "Kontakt {store} om, hvad der nu sker"
        case .refundTotal: "{refund:amount} refunderet"
        case .underInvestigation: "Vi undersøger, hvad der er sket"
        case .lastWord: "Pr. {at:kl. time} · åbn appen for nyt"

        case .reasonNobodyHome: "Ingen åbnede døren"
        case .reasonAddressNotFound: "Adressen kunne ikke findes"
        case .reasonNoAccess: "Buddet kunne ikke komme ind"
        case .reasonNotVerified: "Alder eller identitet kunne ikke kontrolleres"
        case .reasonNotAccepted: "Varerne blev ikke taget imod"
        case .reasonDamaged: "Varerne blev beskadiget undervejs"
        case .reasonLost: "Varerne blev væk undervejs"
        case .reasonNoCourier: "Der var intet ledigt bud"
        case .reasonStoreProblem: "Butikken kunne ikke pakke din bestilling"
        case .reasonOutOfStock: "Butikken havde ikke dine varer"
        case .reasonPaymentFailed: "Betalingen gik ikke igennem"
        case .reasonWeather: "Vejret tillod det ikke"
        case .reasonCustomerRequest: "Som du bad om"
        case .nextRedelivery: "Vi leverer varerne en anden gang"
        case .nextStoreContacts: "{store} kontakter dig"
        case .nextCollectAtStore: "Du kan hente varerne hos {store}"
        case .nextOrderAgain: "Bestil gerne igen"

        case .linePending: "[{quantity} × ]{item}: ikke plukket endnu"
        case .lineOrdered: "[{quantity} × ]{item}"
        case .lineFound: "[{quantity} × ]{item}: i posen"
        case .lineShort: "[{quantity} × ]{item}: kun {packed} i posen, resten var udsolgt[, {refund:amount} refunderet]"
        case .lineProposed:
            "[{quantity} × ]{item}: venter på dit svar om [{substitutes} × ]{substitute}[, {more:amount} mere][, {less:amount} mindre]"
        case .lineSubstituted:
            "[{quantity} × ]{item}: byttet ud med [{substitutes} × ]{substitute}[, {more:amount} mere][, {less:amount} mindre]"
        case .lineSoldOut: "[{quantity} × ]{item}: udsolgt[, {refund:amount} refunderet]"
        case .lineRemoved: "[{quantity} × ]{item}: taget af ordren[, {refund:amount} refunderet]"
        case .lineRefunded: "[{quantity} × ]{item}: refunderet[, {refund:amount}]"

        case .summary: "{count:# levering|# leveringer}[ · næste {from:time}–{to:time}]"
        case .summaryNext: "Næste er fra {store}"
        case .summaryNeedsCustomer: "{waiting:# mangler|# mangler} dit svar"
        case .summaryLeft: "Fortsætter med {left:# kort|# kort}"
        case .summaryDone: "Alle dine leveringer er afsluttet"

        case .alertStarted: "Dine varer fra {store}"
        case .alertFollow: "Følg dem her, helt til døren"
        case .alertQuestion: "{store} har et spørgsmål"
        case .alertNear: "Dine varer fra {store} er næsten hos dig"
        case .alertDelayed: "Forsinket"
        case .alertDelayedMore: "Din levering fra {store} er forsinket. Det beklager vi."
        case .alertDelivered: "Leveret"
        case .alertAtDoor: "Stillet ved din dør"
        case .alertHere: "Dine varer fra {store} er her"
        }
    }

    func verb(_ verb: Verb) -> String {
        switch verb {
        case .details: "Detaljer"
        case .contactCourier: "Kontakt buddet"
        case .leaveAtDoor: "Stil ved døren"
        case .approveSubstitution: "Ja, byt den"
        case .refuseSubstitution: "Nej, refunder"
        case .cancel: "Annuller levering"
        }
    }

    func shortVerb(_ verb: Verb) -> String {
        switch verb {
        case .details: "Detaljer"
        case .contactCourier: "Kontakt"
        case .leaveAtDoor: "Stil ved døren"
        case .approveSubstitution: "Ja, byt den"
        case .refuseSubstitution: "Nej, refunder"
        case .cancel: "Annuller"
        }
    }

    var contactNamed: String { "Kontakt {courier}" }

    func phase(_ phase: KnownPhase) -> String {
        switch phase {
        case .received: "Modtaget"
        case .picking: "Plukkes"
        case .packed: "Pakket"
        case .onTheWay: "På vej"
        case .arriving: "Tæt på"
        case .atDoor: "Ved din dør"
        case .problem: "Problem"
        case .ended: "Afsluttet"
        case .several: "Leveringer"
        }
    }

    func shortPhase(_ phase: KnownPhase) -> String {
        switch phase {
        case .received: "Modtaget"
        case .picking: "Plukkes"
        case .packed: "Pakket"
        case .onTheWay: "På vej"
        case .arriving: "Tæt på"
        case .atDoor: "Ved dør"
        case .problem: "Problem"
        case .ended: "Slut"
        case .several: "Flere"
        }
    }

    func flag(_ flag: DeliverySnapshot.Flag) -> String {
        switch flag {
        case .delayed: "forsinket"
        case .rescheduled: "flyttet"
        case .onHold: "på pause"
        case .needsCustomer: "mangler dit svar"
        case .courierSilent: "intet signal"
        case .batched: "flere stop"
        case .reassigning: "finder et bud"
        case .disputed: "genåbnet"
        }
    }

    func vehicle(_ code: String) -> String? {
        switch code {
        case "bicycle": "cykel"
        case "car": "bil"
        default: nil
        }
    }

    func label(_ label: CardLabel) -> String {
        switch label {
        case .arrives: "Kommer {from:time}–{to:time}"
        case .likely: "Ventes {from:time}–{to:time}"
        case .promised: "lovet senest {to:time}"
        case .items: "{items:# vare|# varer}"
        case .bag: "pose {number} af {count}"
        case .leavesScreen: "forsvinder herfra {at:kl. time}"
        case .order: "ordre {reference}"
        case .approveMore: "Ja, byt den: {difference:amount} mere"
        case .approveLess: "Ja, byt den: {difference:amount} mindre"
        case .approveMoreShort: "Ja: {difference:amount} mere"
        case .approveLessShort: "Ja: {difference:amount} mindre"
        case .spokenArrival: "Kommer mellem {from:time} og {to:time}"
        case .spokenLikely: "Ventes mellem {from:time} og {to:time}"
        case .spokenPromise: "Lovet senest {to:time}"
        case .spokenMore: "Det koster {difference:amount} mere"
        case .spokenLess: "Det koster {difference:amount} mindre"
        case .spokenAnswers: "Du kan svare på kortet"
        case .stepAccepted: "Bekræftet"
        case .stepPacked: "Pakket"
        case .stepPickedUp: "Hentet"
        case .stepDoor: "Dør"
        }
    }

    var moment: String { "{at:kl. time}" }

    func date(_ day: WrittenTime.Day) -> String {
        let weekdays = ["man.", "tirs.", "ons.", "tors.", "fre.", "lør.", "søn."]
        let months = ["jan.", "feb.", "mar.", "apr.", "maj", "juni", "juli", "aug.", "sep.", "okt.", "nov.", "dec."]
        return "\(weekdays[day.weekday]) \(day.day). \(months[day.month - 1])" + (day.year.map { " \($0)" } ?? "")
    }

    func length(minutes: Int) -> String {
        minutes < 60
            ? "\(minutes) min." : minutes % 60 == 0 ? "\(minutes / 60) t." : "\(minutes / 60) t. \(minutes % 60) min."
    }

    func amount(_ amount: Amount) -> String {
        let digits = amount.digits(decimalMark: ",", groupMark: ".")
        switch amount.currency {
        case "DKK": return "\(digits) kr."
        case "ISK", "NOK", "SEK": return "\(digits) kr"
        case "EUR": return "\(digits) €"
        default: return "\(digits) \(amount.currency)"
        }
    }
}
