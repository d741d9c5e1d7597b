import ArgumentParser

/// What operators do: see every delivery, understand one, and set right what went wrong.
struct OpsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ops",
        abstract: "See every delivery, understand one, set one right.",
        discussion: "Speaks with the token in the file that DOORSTEP_OPERATOR_TOKEN_FILE names.",
        subcommands: [
            OpsList.self, OpsTop.self, OpsShow.self, OpsWhy.self, OpsOpen.self, OpsSetStatus.self, OpsAssign.self,
            OpsHold.self,
            OpsRelease.self, OpsTrip.self, OpsPromise.self, OpsItem.self, OpsResend.self, OpsEndCard.self,
            OpsProvider.self, OpsDeadLetters.self,
        ])
}
