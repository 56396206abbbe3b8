/** Prints what `troupe worker --connect` needs and whether it is there. */

import type { NatsFinding } from '../../../../shared/workers/worker-presence.ts'
import type { TextOutput } from '../../../platform/command-line/safe-output.ts'
import {
  diagnoseMachine,
  diagnoseServer,
  type MachineDiagnosis,
  type ServerDiagnosis,
} from '../nats/setup/diagnose.ts'

const MARKS = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' } as const

/** @returns whether nothing that is needed is missing */
export async function checkRemoteWorker(
  { server, machine }: { readonly server: ServerDiagnosis; readonly machine: MachineDiagnosis },
  output: TextOutput,
): Promise<boolean> {
  let isReady = true
  const tell = ({ what, outcome, text }: NatsFinding) => {
    if (outcome === 'failed') isReady = false
    output.write(`${MARKS[outcome]} ${what.padEnd(11)} ${text}\n`)
  }
  for await (const finding of diagnoseServer(server)) tell(finding)
  for await (const finding of diagnoseMachine(machine)) tell(finding)
  return isReady
}
