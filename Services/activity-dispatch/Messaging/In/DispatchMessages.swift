import DeclaredMetrics
import LiveActivity
import Logging
import Messages
import Metrics
import ReliableMessaging
import ServiceRuntime

/// The messages that `activity-dispatch` consumes: intents, and nothing else.
struct DispatchMessages: Sendable {
    let intents: IntentBatcher
    /// The origin of buttons' links, before `/l/`; nil disables the check.
    let linkOrigin: String?

    /// Applies the intents of a message, together with others that come meanwhile.
    func handle(_ messages: [MessageConsumer<Intent>.Element]) async -> [Result<Void, any Error>] {
        await intents(
            messages.map { one in
                let traceparent = one.context.continuingTrace { TraceContext.current?.traceparent }
                return (intent: withOwnLinks(one.message, one.context), traceparent: traceparent)
            })
    }

    /// The intent without buttons of foreign origins: the state still arrives, and no link leads elsewhere.
    private func withOwnLinks(_ intent: Intent, _ context: MessageContext) -> Intent {
        guard let linkOrigin else { return intent }
        let start = "\(linkOrigin)/l/"
        guard !intent.step.content.buttons.allSatisfy({ $0.url.hasPrefix(start) }) else { return intent }
        let (step, dropped) = intent.step.keepingButtons { $0.url.hasPrefix(start) }
        DispatchMetrics.buttonsDropped.counter([("writer", intent.writer.rawValue)]).increment(by: dropped)
        context.logger.warning("Buttons with links of another origin were removed", metadata: ["count": "\(dropped)"])
        return Intent(
            activity: intent.activity, customer: intent.customer, delivery: intent.delivery, store: intent.store,
            writer: intent.writer, step: step)
    }
}

extension ActivityStep {
    /// The step with its allowed buttons, and the number of dropped ones.
    func keepingButtons(_ isKept: (CardButton) -> Bool) -> (step: ActivityStep, dropped: Int) {
        var content = content
        content.buttons = content.buttons.filter(isKept)
        return (with(content), self.content.buttons.count - content.buttons.count)
    }
}
