/**
 * A conversation as JSON Lines: each event of the conversation and its agents in their order, a line each. A whole output
 * that its event has only in part follows on a line of its own. `import-conversation.ts` reads it again.
 *
 * Ids are those of the file: the conversation's is `c-` and zeros, the first agent's `a-` and the number 1 in 20 digits. So
 * the file is the same, whichever ids the conversation has where it is exported.
 */
import { z } from 'zod'
import type { LoggedEvent } from '../../../../shared/events/conversation-event.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { mapTexts } from '../../../../shared/sharing/clean-value.ts'
import type { SharedConversation } from '../shared-conversation.ts'

/** The line of a whole output. `name`: of its file, which is that of the call. */
export const keptOutputLine = z.strictObject({
  v: z.literal(1),
  type: z.literal('output-kept'),
  agentId: z.string(),
  name: z.string(),
  text: z.string(),
})

/** The id of a conversation in a file. */
export const FILE_CONVERSATION = `c-${'0'.repeat(20)}`
/** The id of the agent with this number in a file, from 1. */
const fileAgent = (number: number): string => `a-${String(number).padStart(20, '0')}`
/** Whether an id is that of an agent in a file. */
export const isFileAgent = (id: string): boolean => /^a-\d{20}$/.test(id)

/** Texts of about a batch each. */
export async function* jsonLines(shared: SharedConversation): AsyncGenerator<Result<string>> {
  const { record } = shared
  const ids = new Map([[record.id, FILE_CONVERSATION]])
  for (const id of record.agentIds) ids.set(id, fileAgent(ids.size))
  const rename = idRenamer(ids)
  for await (const batch of shared.events()) {
    if (!batch.ok) return yield batch
    let text = ''
    for (const event of batch.value) {
      text += `${JSON.stringify(rename(event))}\n`
      const output = await keptOutput(event, shared)
      if (output !== null) text += `${JSON.stringify(rename(output))}\n`
    }
    yield ok(text)
  }
}

async function keptOutput(
  event: LoggedEvent,
  shared: SharedConversation,
): Promise<z.infer<typeof keptOutputLine> | null> {
  if (!('outputFile' in event) || event.outputFile === null) return null
  const output = await shared.output(event)
  return output === null ? null : { v: 1, type: 'output-kept', agentId: event.agentId, ...output }
}

/** Replaces ids in all texts of a value, also within a text where they have the form of this program's ids. */
export function idRenamer(ids: ReadonlyMap<string, string>): <T>(value: T) => T {
  const named = (text: string) => ids.get(text) ?? text.replace(ID, (id) => ids.get(id) ?? id)
  return (value) => mapTexts(value, named)
}

const ID = /(?<![A-Za-z0-9])[ac]-[0-9a-z]{20}(?![A-Za-z0-9])/g
