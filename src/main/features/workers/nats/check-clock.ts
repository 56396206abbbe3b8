/** Compares this machine's clock with the server's. */
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { natsFailure } from './nats-failure.ts'
import { natsNames } from './subjects.ts'

/** Clocks that differ by more are reported, in ms. */
const MOST = 30_000

/** The server's time minus ours, in ms. Asks the server for a consumer, whose answer has the time of its creation. */
export async function clockOffset(connection: NatsConnection, now: () => number): Promise<Result<number>> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false })
    const before = now()
    const { created, name } = await manager.consumers.add(natsNames.messages, {
      ack_policy: AckPolicy.None,
      inactive_threshold: nanos(5000),
      filter_subject: 'troupe.message.clock.clock',
      mem_storage: true,
    })
    const offset = Date.parse(created) - (before + now()) / 2
    await manager.consumers.delete(natsNames.messages, name).catch(() => undefined)
    return ok(offset)
  } catch (thrown) {
    return fail(natsFailure(thrown, 'The clocks can’t be compared'))
  }
}

/** What is wrong with an offset in ms; null: nothing. */
export function clockProblem(offset: number): string | null {
  if (Math.abs(offset) <= MOST) return null
  const [amount, unit] =
    Math.abs(offset) < 120_000
      ? [Math.round(Math.abs(offset) / 1000), 'seconds']
      : Math.abs(offset) < 7_200_000
        ? [Math.round(Math.abs(offset) / 60_000), 'minutes']
        : [Math.round(Math.abs(offset) / 3_600_000), 'hours']
  return `This machine’s clock is ${amount} ${unit} ${offset > 0 ? 'behind' : 'ahead of'} the NATS server’s. Jobs are signed with their time, so that wrong clocks get them refused. Set the clock, for instance with \`timedatectl set-ntp true\`.`
}

/** Fails if the clocks differ by too much. */
export async function checkedClock(connection: NatsConnection, now: () => number): Promise<Result<number>> {
  const offset = await clockOffset(connection, now)
  const problem = offset.ok ? clockProblem(offset.value) : null
  return problem === null ? offset : fail({ type: 'clock', message: problem })
}
