import FaultInjection
import LiveActivity
import PhoneRules
import SimulationSupport

/// The devices of all customers; each can vanish and come back where it was.
actor DeviceFleet {
    nonisolated let devices: [SimulatedDevice]
    private var connections: [Int: Task<Void, Never>] = [:]

    /// - Parameters:
    ///   - customers: every third has two devices, every third three.
    ///   - absent: those of them who have none.
    init(customers: [String], without absent: Set<String>, on stack: ProxiedStack) async throws {
        var devices: [SimulatedDevice] = []
        for (index, customer) in customers.enumerated() where !absent.contains(customer) {
            for number in 0...(index % 3) {
                devices.append(try await SimulatedDevice(customer, id: "\(customer)-device-\(number)", stack: stack))
            }
        }
        self.devices = devices
    }

    func connectAll() { for index in devices.indices { connect(index) } }

    /// - Parameter choice: any number, for one of the devices.
    func connect(_ choice: Int) {
        let index = choice % devices.count
        guard connections[index] == nil else { return }
        let device = devices[index]
        // Ended by `disconnect`.
        connections[index] = Task { await device.run() }
    }

    func disconnect(_ choice: Int) async {
        let connection = connections.removeValue(forKey: choice % devices.count)
        connection?.cancel()
        await connection?.value
    }

    func disconnectAll() async { for index in devices.indices { await disconnect(index) } }

    /// Pushes that all devices have received.
    func eventCount() async -> Int {
        var count = 0
        for device in devices { count += await device.screen.cards.values.reduce(0) { $0 + $1.pushes.count } }
        return count
    }

    func screens() async -> [StackSnapshot.Screen] {
        var screens: [StackSnapshot.Screen] = []
        for device in devices {
            let screen = await device.screen
            let cards = screen.cards.values.sorted { $0.card < $1.card }.compactMap { history in
                history.last.map { last in
                    StackSnapshot.Screen.Card(
                        card: history.card, activity: history.activity, delivery: history.delivery,
                        version: last.content.revision.version, phase: last.content.phase.rawValue,
                        headline: last.content.headline.code,
                        count: last.content.headline.values["count"].flatMap { Int($0) },
                        isLive: screen.phone[card: history.card]?.state.isLive ?? false)
                }
            }
            screens.append(
                StackSnapshot.Screen(
                    device: device.id, customer: device.customer, cards: cards, violations: screen.violations))
        }
        return screens
    }
}
