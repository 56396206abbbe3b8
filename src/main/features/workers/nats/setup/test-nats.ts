/** Looks whether this program can send jobs through a NATS server. Loaded only when the user asks for it. */
import type { NatsAccess, NatsFinding } from '../../../../../shared/workers/worker-presence.ts'
import { loadSenderKey } from '../jobs/sender-keys.ts'
import { diagnoseServer } from './diagnose.ts'

/** ms for one attempt: the user waits. */
const PATIENCE = 5000

export async function testNats(
  access: NatsAccess,
  { dataFolder, now }: { readonly dataFolder: string; readonly now: () => number },
): Promise<readonly NatsFinding[]> {
  const found: NatsFinding[] = []
  const server = { ...access, name: 'troupe test', timeout: PATIENCE, role: 'sender', now } as const
  for await (const finding of diagnoseServer(server)) found.push(finding)
  const key = await loadSenderKey(dataFolder)
  found.push(
    key.ok
      ? {
          what: 'key',
          outcome: 'ok',
          text: `each worker trusts it: troupe worker trust ${key.value.publicKey}`,
        }
      : { what: 'key', outcome: 'failed', text: key.failure.message },
  )
  return found
}
