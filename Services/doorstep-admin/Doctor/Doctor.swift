import CommandOutput
import DomainTime
import Foundation
import Messages
import NatsClient
import PostgresClient
import StackClient

/// Probes each part of a stack from outside: clock, Postgres, NATS and the five services.
struct Doctor: Sendable {
    /// Seconds by which a service's wall clock may differ from this machine's; tokens and leases use wall time.
    static let skewSecondsMax = 5.0
    /// A consumer's backlog above which its service processes too slowly, or not at all.
    static let pendingMax: UInt64 = 10_000

    let stack: Stack

    /// Probes all parts at once; the findings are in a fixed order.
    func probe() async -> [DoctorFinding] {
        async let postgres = postgres()
        async let broker = broker()
        async let orders = service(.orders)
        async let courierETA = service(.courierETA)
        async let dispatch = service(.activityDispatch)
        async let desk = service(.desk)
        async let partners = service(.partners)
        let database = await postgres
        let services =
            (await orders) + (await courierETA) + (await dispatch) + (await desk) + (await partners)
        let origins = PublicOrigins().finding
        return [clock()] + (origins.map { [$0] } ?? []) + [database] + (await broker)
            + services.map { database.isWrong ? $0.followingFrom(database.part, whereItNames: "schema") : $0 }
    }

    private func clock() -> DoctorFinding {
        do {
            let clock = try stack.clock()
            let rate = clock.rate == 1 ? "" : ", \(clock.rate) times as fast as the wall clock"
            return .well("clock", "domain time is \(clock.now.formatted(.iso8601))\(rate)")
        } catch {
            return .wrong("clock", "\(error)", fix: "correct CLOCK_ORIGIN, CLOCK_WALL_ORIGIN and CLOCK_RATE")
        }
    }

    private func postgres() async -> DoctorFinding {
        do {
            var configuration = try stack.postgres()
            configuration.acquireTimeout = .seconds(2)
            configuration.drainTimeout = .seconds(1)
            configuration.statementTimeout = .seconds(10)
            let (missing, standbys, warning) = try await PostgresPool.with(configuration) { pool in
                let schemas = StackSchemas(pool: pool)
                let missing = try await schemas.missing()
                let standbys = try await SynchronousReplication(pool: pool).namesWithoutStandby()
                return (missing, standbys, missing.isEmpty ? await Self.warning(of: schemas) : "")
            }
            return Self.finding(missing: missing, waitingFor: standbys, warning: warning)
        } catch let failure as CommandFailure {
            return .wrong("postgres", failure.message, fix: "set it, as stack.env does")
        } catch let error as PostgresError where error.code == .poolExhausted {
            return .wrong(
                "postgres", "does not answer within 2 s", fix: "start it, or see what holds it up; check DATABASE_URL")
        } catch {
            return .wrong("postgres", "\(error)", fix: "start it, and check DATABASE_URL")
        }
    }

    /// The finding about a server that answers.
    ///
    /// - Parameters:
    ///   - missing: the schemas that it lacks.
    ///   - names: its `synchronous_standby_names` where too few standbys confirm; else nil.
    ///   - warning: is added where nothing is wrong.
    static func finding(missing: [String], waitingFor names: String?, warning: String) -> DoctorFinding {
        guard missing.isEmpty else {
            return .wrong(
                "postgres", "has no schema \(missing.joined(separator: ", "))",
                fix: "run Infra/postgres/roles.sql, then doorstep admin migrate")
        }
        guard let names else { return .well("postgres", "answers, with the five schemas\(warning)") }
        return .wrong(
            "postgres",
            "acknowledges no change: fewer standbys confirm than synchronous_standby_names '\(names)' demands",
            fix: "start the standby, or do without: "
                + "ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()")
    }

    /// The warning about personal data that are stored readable; empty where none is.
    static func warning(of schemas: StackSchemas) async -> String {
        do {
            let isReadable = try await schemas.hasReadablePersonalData()
            return isReadable
                ? "; addresses or phone numbers are stored readable: set persons.sealed once no version before 0.27 runs"
                : ""
        } catch {
            return "; whether addresses and phone numbers are sealed cannot be read: \(error)"
        }
    }

    private func broker() async -> [DoctorFinding] {
        do {
            return try await Streams.with(try stack.nats()) { streams in
                var findings = [DoctorFinding.well("nats", "answers")]
                for stream in StreamDefinition.all {
                    findings += await Self.findings(of: stream, on: streams.jetStream)
                }
                return findings
            }
        } catch let failure as CommandFailure {
            return [.wrong("nats", failure.message, fix: "start it, and check NATS_URL and NATS_PASSWORD_FILE")]
        } catch {
            return [.wrong("nats", "\(error)", fix: "start it, and check NATS_URL and NATS_PASSWORD_FILE")]
        }
    }

    /// The findings about a stream, and about its consumers where the stream can be read.
    static func findings(of stream: StreamDefinition, on jetStream: JetStream) async -> [DoctorFinding] {
        var findings = [await finding(of: "stream \(stream.name)") { try await probe(stream, on: jetStream) }]
        guard findings[0].fix != unreadFix else { return findings }
        for consumer in ConsumerDefinition.all where consumer.stream == stream {
            findings.append(
                await finding(of: "consumer \(consumer.durable)") { try await probe(consumer, on: jetStream) })
        }
        return findings
    }

    private static let unreadFix =
        "see the broker's log: no leader, no room on its disk, JetStream off, or NATS_USER may not read it"

    /// The finding of a probe; a probe that the broker does not answer is a fault of its part alone.
    private static func finding(
        of part: String, _ probe: () async throws -> DoctorFinding
    ) async -> DoctorFinding {
        do {
            return try await probe()
        } catch {
            return .wrong(part, "cannot be read: \(error)", fix: unreadFix)
        }
    }

    private static func probe(_ stream: StreamDefinition, on jetStream: JetStream) async throws -> DoctorFinding {
        guard let info = try await jetStream.streamInfo(stream.name) else {
            return .wrong(
                "stream \(stream.name)", "is missing",
                fix: "doorstep admin rebuild-streams, with --replicas 3 in a cluster")
        }
        return finding(of: stream, info.configuration, messages: info.messages, isClustered: info.cluster != nil)
    }

    /// The finding about a stream that there is.
    static func finding(
        of stream: StreamDefinition, _ present: StreamConfiguration, messages: UInt64, isClustered: Bool
    ) -> DoctorFinding {
        let part = "stream \(stream.name)"
        let wanted = Streams.configuration(of: stream, replicas: present.replicas, bytesMax: present.maxBytes)
        guard present.subjects == wanted.subjects, present.maxAge == wanted.maxAge,
            present.duplicateWindow == wanted.duplicateWindow, present.maxBytes != nil
        else { return .wrong(part, "is set up otherwise", fix: "doorstep admin streams") }
        guard present.replicas > 1 || !isClustered else {
            return .wrong(
                part, "has one copy in a cluster, which is lost with one broker",
                fix: "doorstep admin streams --replicas 3")
        }
        return .well(part, "keeps \(messages) messages")
    }

    private static func probe(_ consumer: ConsumerDefinition, on jetStream: JetStream) async throws -> DoctorFinding {
        let part = "consumer \(consumer.durable)"
        guard
            let info = try await jetStream.consumerInfo(stream: consumer.stream.name, durable: consumer.durable)
        else { return .wrong(part, "is missing", fix: "doorstep admin streams") }
        // Read after the consumer, so that a whole stream is never behind it.
        if let stream = try await jetStream.streamInfo(consumer.stream.name),
            info.deliveredSequence > stream.lastSequence
        {
            return .wrong(
                part,
                "is at message \(info.deliveredSequence), ahead of its stream, which ends at "
                    + "\(stream.lastSequence): new messages are passed over",
                fix: "its service has it begin again within a minute; if not, doorstep admin rebuild-streams")
        }
        let state = "\(info.pending) to come, \(info.ackPending) under way"
        guard info.pending <= pendingMax else {
            return .wrong(part, state, fix: "see that its service runs and is ready; add a replica")
        }
        return .well(part, state)
    }

    private struct Report: Decodable {
        let status: String
        let checks: [Check]

        struct Check: Decodable {
            let name: String
            let status: String
            let error: String?
        }
    }

    private struct Liveness: Decodable {
        let service: String?
    }

    private func service(_ peer: Peer) async -> [DoctorFinding] {
        let client: PeerClient
        do {
            client = try PeerClient(peer, token: nil)
        } catch {
            return [.wrong(peer.rawValue, error.message, fix: "set \(peer.variable) to where \(peer.rawValue) listens")]
        }
        do {
            let live = try await client.probe("/health/live")
            // A process without a readable name is judged by its readiness below.
            if let name = try? JSONDecoder().decode(Liveness.self, from: live.body).service, name != peer.rawValue {
                return [
                    .wrong(
                        peer.rawValue, "\(name) answers in its place at \(client.address)",
                        fix: "set \(peer.variable) to where \(peer.rawValue) listens")
                ]
            }
            let (status, data, date) = try await client.probe("/health/ready")
            var findings: [DoctorFinding] = []
            // A service without a readable report is judged by its status below.
            let report = try? JSONDecoder().decode(Report.self, from: data)
            let failed = (report?.checks ?? []).filter { $0.status != "ready" }
                .map { "\($0.name): \($0.error ?? $0.status)" }
            if status == 200, failed.isEmpty {
                findings.append(.well(peer.rawValue, "is ready at \(client.address)"))
            } else if status == 200 {
                findings.append(
                    .wrong(
                        peer.rawValue, "is ready, and degraded (\(failed.joined(separator: "; ")))",
                        fix: "see its log, and the lines above"))
            } else {
                let why = failed.isEmpty ? (report?.status ?? "it answered \(status)") : failed.joined(separator: "; ")
                findings.append(
                    .wrong(
                        peer.rawValue, "is not ready (\(why))",
                        fix: failed.contains { $0.hasPrefix("schema") }
                            ? "doorstep admin migrate" : "see its log, and the lines above"))
            }
            if let date, abs(date.timeIntervalSinceNow) > Self.skewSecondsMax {
                let seconds = Int(date.timeIntervalSinceNow.rounded())
                findings.append(
                    .wrong(
                        peer.rawValue, "its wall clock is \(seconds) s from this one's",
                        fix: "synchronise the machines' clocks"))
            }
            return findings
        } catch {
            return [
                .wrong(peer.rawValue, "does not answer at \(client.address)", fix: "start it, check \(peer.variable)")
            ]
        }
    }
}
