/** The external agents of one runtime: which agents they carry out, their processes, their sessions. */
import type { OutsidePrograms } from '../../../runtime/ports/agent-backing.ts'
import { AcpBacking } from './acp-backing.ts'
import type { AcpDeps } from './acp-deps.ts'
import { ConnectionPool } from './connection-pool.ts'
import { HeldSessions } from './held-sessions.ts'

/** Programs that are fetched when they start need a while. */
const START_LIMIT = 120_000
const MINUTE = 60_000
/** ms. A process needs up to some hundred MB, and a session that can be resumed costs only its start. */
const KEEP = { process: MINUTE / 2, resumable: 5 * MINUTE, other: 60 * MINUTE }

export function createAcpPrograms(deps: AcpDeps): OutsidePrograms {
  const { clock, keep, startLimit = START_LIMIT } = deps
  const times = keep === undefined ? KEEP : { process: keep, resumable: keep, other: keep }
  const pool = new ConnectionPool({ clock, startLimit, keepProcess: times.process })
  const held = new HeldSessions(clock, times)
  return {
    backing: (agent) =>
      agent.state().backing === 'acp' ? new AcpBacking(agent, { ...deps, startLimit, pool, held }) : null,
    async close() {
      held.close()
      await pool.close()
    },
  }
}
