import ArgumentParser

/// The operators' commands: list deliveries, explain one, and correct faults.
struct OpsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ops",
        abstract: "List deliveries, explain one, correct one.",
        discussion: "Uses the token in the file that DOORSTEP_OPERATOR_TOKEN_FILE names.",
        subcommands: [
            OpsList.self, OpsTop.self, OpsShow.self, OpsWhy.self, OpsOpen.self, OpsSetStatus.self, OpsAssign.self,
            OpsHold.self,
            OpsRelease.self, OpsTrip.self, OpsPromise.self, OpsItem.self, OpsCorrect.self, OpsResend.self,
            OpsEndCard.self, OpsLog.self,
            OpsReport.self,
            OpsProvider.self, OpsCourierMap.self, OpsFace.self, OpsDeadLetters.self, OpsReads.self,
        ])
}
