/** Handlers for what is outside a conversation's program: workers and mailboxes. */
import { ok } from '../../../shared/kernel/result.ts'
import { noWorkers } from '../../../shared/workers/worker-presence.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface WorkerDeps {
  readonly program: () => Promise<Program>
}

export function workerCommands({ program }: WorkerDeps): HandlersOf<'workers' | 'mailboxes'> {
  return {
    'workers.state': async () => ok((await program()).workers?.state() ?? noWorkers),
    'workers.test': async (wanted) => ok(await (await program()).testNats(wanted)),
    'mailboxes.list': async () => (await (await program()).mailbox.list?.()) ?? ok([]),
  }
}
