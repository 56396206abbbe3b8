/** The workers that this program knows, the connection to NATS, and the mailboxes on this machine. */
import { create } from 'zustand'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { MailboxInfo } from '../../shared/workers/contract.ts'
import { noWorkers, type WorkerPresence, type WorkersState } from '../../shared/workers/worker-presence.ts'
import { command } from '../bridge.ts'

interface WorkersStore {
  readonly state: WorkersState
  readonly mailboxes: readonly MailboxInfo[]
  /** Why the mailboxes can't be listed; null: they are. */
  readonly mailboxFailure: string | null
}

export const useWorkers = create<WorkersStore>()(() => ({
  state: noWorkers,
  mailboxes: [],
  mailboxFailure: null,
}))

export function receiveWorkers(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'workers')
  if (last?.type === 'workers') useWorkers.setState({ state: last.state })
}

/** Deltas follow. */
export async function loadWorkers(): Promise<void> {
  const answer = await command('workers.state', {})
  if (answer.ok && answer.value !== undefined) useWorkers.setState({ state: answer.value })
}

export async function loadMailboxes(): Promise<void> {
  const answer = await command('mailboxes.list', {})
  if (answer.ok) useWorkers.setState({ mailboxes: answer.value ?? [], mailboxFailure: null })
  else useWorkers.setState({ mailboxFailure: answer.failure.message })
}

/** The last heartbeat of a worker; undefined: none is known. */
export function usePresence(workerId: string | undefined): WorkerPresence | undefined {
  return useWorkers(({ state }) =>
    workerId === undefined ? undefined : state.workers.find((worker) => worker.workerId === workerId),
  )
}
