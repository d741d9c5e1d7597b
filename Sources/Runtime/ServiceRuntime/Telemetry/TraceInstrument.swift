internal import Tracing

/// Propagates the trace in the headers of messages, for libraries that use instruments only.
struct TraceInstrument: Instrument {
    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        var random = SystemRandomNumberGenerator()
        let received = extractor.extract(key: "traceparent", from: carrier)
        context.trace = TraceContext.continuing(received, using: &random)
    }
}
