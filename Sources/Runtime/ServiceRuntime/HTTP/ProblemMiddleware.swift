internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NatsClient
internal import PostgresClient

/// Converts every error into a problem for the caller, and logs, once, the service's own faults.
struct ProblemMiddleware: RouterMiddleware {
    let routes: RouteTable

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any ProblemConvertible {
            return error.problem.response()
        } catch let error as HTTPError where error.status == .notFound && routeName(context) == "unmatched" {
            let methods = routes.methods(of: request.uri.path)
            return (methods.isEmpty ? Problem.notFound("no such path") : .methodNotAllowed(allowed: methods)).response()
        } catch let error as any HTTPResponseError {
            return Problem(status: error.status).response()
        } catch {
            let problem = problem(for: error)
            // A vanished caller is not a fault.
            let level: Logger.Level =
                isInterruption(error) ? .debug : problem.status.code == 500 ? .error : .warning
            context.logger.log(
                level: level, "request failed",
                metadata: ["route": "\(routeName(context))", "error": "\(error)", "problem": "\(problem.slug)"])
            return problem.response()
        }
    }
}

/// The problem of an error that is not one itself: unavailable where another attempt may succeed.
func problem(for error: any Error) -> Problem {
    switch error {
    case _ where isInterruption(error):
        .unavailable("the service is stopping", retryAfterSeconds: 1)
    case let error as PostgresError where error.isDiskFull:
        .unavailable("the database's disk is full; make room on it", retryAfterSeconds: 30)
    case let error as PostgresError where error.isOutage:
        .unavailable("the database cannot be reached or is busy", retryAfterSeconds: 2)
    case let error as PostgresError where error.isAboutValue:
        // Routes name the values that they check; this covers the rest.
        .malformed("a value is one that cannot be stored, such as a text with a NUL or a time out of range")
    case let error as NatsError where error.isRetriable || error.code == .closed:
        .unavailable("the broker cannot be reached or is busy", retryAfterSeconds: 2)
    default:
        .internalError()
    }
}

/// Whether the request was cut off, by its caller or because the service stops.
private func isInterruption(_ error: any Error) -> Bool {
    error is CancellationError || (error as? PostgresError)?.code == .cancelled
}

extension PostgresError {
    /// True when Postgres, or its client, rejected a value: SQLSTATE class 22.
    fileprivate var isAboutValue: Bool { code == .encoding || sqlState?.hasPrefix("22") == true }
}

extension Problem {
    /// A problem of the framework's, by its status.
    init(status: HTTPResponse.Status) {
        switch status.code {
        case 400: self = .malformed()
        case 404: self = .notFound()
        case 413: self = .tooLarge(bytesMax: bodyBytesMaxStandard)
        case 500...599: self = .internalError()
        default: self = Problem(status, "refused", title: status.reasonPhrase)
        }
    }
}
