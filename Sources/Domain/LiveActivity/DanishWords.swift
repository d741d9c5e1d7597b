/// Danish.
struct DanishWords: WordTable {
    func phrase(_ code: PhraseCode) -> String {
        switch code {
        case .placed: "Vi har fået din bestilling"
        case .accepted: "{store} har taget imod din bestilling"
        case .picking: "{store} plukker dine varer"
        case .staged: "Dine varer er pakket"
        case .pickedUp: "{courier} har dine varer"
        case .pickedUpUnnamed: "Buddet har dine varer"
        case .enRoute: "{courier} er på vej"
        case .enRouteUnnamed: "Dine varer er på vej"
        case .arriving: "{courier} er der næsten"
        case .arrivingUnnamed: "Dine varer er der næsten"
        case .atDoor: "{courier} er ved din dør"
        case .atDoorUnnamed: "Buddet er ved din dør"
        case .attempted: "{courier} kunne ikke få fat i dig"
        case .attemptedUnnamed: "Vi kunne ikke få fat i dig"
        case .returning: "Dine varer er på vej tilbage til {store}"
        case .delivered: "Leveret[ kl. {at:time}]"
        case .deliveredAtDoor: "Ved din dør[ kl. {at:time}]"
        case .returned: "Dine varer er tilbage hos {store}"
        case .cancelled: "Din levering er annulleret"
        case .failed: "Vi kunne ikke levere dine varer"
        case .onHold: "Din levering er sat på pause"
        case .substituteProposed: "{substitute} i stedet for {item}?"
        case .substitutesProposed: "{quantity} × {substitute} i stedet for {item}?"
        case .needsCustomer: "{store} mangler et svar fra dig"
        case .courierSilent: "Intet nyt fra {courier}[ siden {since:time}]"
        case .courierSilentUnnamed: "Intet nyt fra buddet[ siden {since:time}]"

        case .waitingToAccept: "Venter på bekræftelse fra {store}"
        case .pickingNotStarted: "Plukningen er ikke begyndt endnu"
        case .itemsToPick: "{items:# vare|# varer} skal plukkes"
        case .foundOf: "{found} af {items:# vare|# varer} er i posen"
        case .courierUnassigned: "Vi finder et bud til dig"
        case .courierAssigned: "{courier} kommer med dem"
        case .courierToStore: "{courier} er på vej til {store}"
        case .courierAtStore: "{courier} er hos {store}"
        case .stopsBefore: "{stops:# stop|# stop} før dig"
        case .otherStops: "Andre stop på vejen"
        case .itemsSwapped: "{swapped:# vare|# varer} byttet"
        case .delayed: "Senere end lovet, beklager"
        case .rescheduled: "Flyttet til et nyt tidspunkt[: {from:time}–{to:time}]"
        case .rescheduledToDay: "Flyttet til en anden dag[: {from:date} kl. {from:time}–{to:time}]"
        case .reassigning: "Vi finder et andet bud til dig"
        case .reopened: "Vi har genåbnet leveringen"
        case .leftAtDoor: "Stilles ved din dør"
        case .leavingAtDoor: "Varerne stilles ved døren"
        case .openDoor: "Luk gerne op"
        case .answerOrRefund: "Svar gerne[ inden {until:time}], ellers refunderes varen"
        case .answerInDetails: "Åbn detaljerne for at svare"
        case .holdExplained: "Vi er ved at få styr på noget"
        case .silenceExplained: "Telefonen har måske ikke signal"
        case .standing: "Holder stille[ siden {since:time}]"
        case .contactToHandOver: "Kontakt {courier} for at få dine varer"
        case .triedAgainOrReturned: "Vi prøver igen eller kører dem tilbage til {store}"
        case .noNeedToWait: "Du behøver ikke vente ved døren"
        case .beforePromise: "{minutes:minutes} før lovet"
        case .asPromised: "Som lovet"
        case .afterPromise: "{minutes:minutes} senere end lovet, beklager"
        case .nothingDelivered: "Der bliver ikke leveret noget"
        case .nextStepsInDetails: "Se i detaljerne, hvad der nu sker"
        case .underInvestigation: "Vi undersøger, hvad der er sket"

        case .summary: "{count:# levering|# leveringer}[ · næste {from:time}–{to:time}]"
        case .summaryNext: "Næste er fra {store}"
        case .summaryNeedsCustomer: "{waiting:# mangler|# mangler} dit svar"
        case .summaryLeft: "Fortsætter med {left:# kort|# kort}"
        case .summaryDone: "Alle dine leveringer er klaret"

        case .alertStarted: "Dine varer fra {store}"
        case .alertFollow: "Følg dem her, helt til døren"
        case .alertQuestion: "{store} har et spørgsmål"
        case .alertNear: "Dine varer fra {store} er næsten hos dig"
        case .alertDelayed: "Senere end lovet"
        case .alertDelayedMore: "Dine varer fra {store} bliver forsinket. Det beklager vi."
        case .alertDelivered: "Leveret"
        case .alertAtDoor: "Ved din dør"
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
        case .promised: "lovet inden {to:time}"
        case .within: "inden for {timer}"
        case .items: "{items:# vare|# varer}"
        case .bag: "pose {number} af {count}"
        case .leavesScreen: "forsvinder herfra kl. {at:time}"
        case .order: "ordre {reference}"
        case .spokenArrival: "kommer mellem {from:time} og {to:time}"
        case .spokenLikely: "ventes mellem {from:time} og {to:time}"
        case .spokenPromise: "lovet inden {to:time}"
        case .spokenAnswers: "du kan svare på kortet"
        case .stepAccepted: "Bekræftet"
        case .stepPacked: "Pakket"
        case .stepPickedUp: "Hentet"
        case .stepDoor: "Dør"
        }
    }

    func date(_ time: ClockTime) -> String {
        let weekdays = ["man.", "tirs.", "ons.", "tors.", "fre.", "lør.", "søn."]
        let months = ["jan.", "feb.", "mar.", "apr.", "maj", "juni", "juli", "aug.", "sep.", "okt.", "nov.", "dec."]
        let (month, day) = time.monthAndDay
        return "\(weekdays[time.weekday]) \(day). \(months[month - 1])"
    }

    func length(minutes: Int) -> String {
        minutes < 60
            ? "\(minutes) min." : minutes % 60 == 0 ? "\(minutes / 60) t." : "\(minutes / 60) t. \(minutes % 60) min."
    }
}
