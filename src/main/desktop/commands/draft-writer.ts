/** Lets an agent write a definition: in a conversation of its own, without tools, that is gone afterwards. */

import type { Diagnostic, ReadDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { draftIn, draftRequest, mendRequest } from '../../../shared/agent-definition/draft-request.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { textOf } from '../../../shared/content.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import type { LoadedDefinition } from '../../runtime/ports.ts'
import type { NewConversation, Runtime } from '../../runtime/runtime.ts'

/** The built-in agent that does it. */
export const WRITER = 'agent-writer'

export interface DraftTask {
  readonly description: string
  readonly writer: LoadedDefinition
  readonly conversation: NewConversation
}

/**
 * The text of a definition. One that can't be used is sent back once, with what is wrong; what comes then is
 * given as it is, where it is a definition at all. Failures: `stopped`, `no-draft`, and what the model's are.
 */
export async function writeDraft(
  { description, writer, conversation }: DraftTask,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Result<{ readonly text: string }>> {
  // Whoever wrote this definition: it only writes its answer.
  const definition = { ...writer, tools: [], skills: [] }
  const created = await runtime.create({ ...conversation, definition })
  if (!created.ok) return created
  const { id } = created.value
  const stop = () => void runtime.stopConversation(id)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const first = await ask(runtime, id, draftRequest(description), signal)
    if (!first.ok) return first
    const draft = draftIn(first.value)
    const problems = whatIsWrong(readDraft(draft))
    if (problems.length === 0) return ok({ text: draft })
    const second = await ask(runtime, id, mendRequest(problems), signal)
    if (!second.ok) return second
    const mended = draftIn(second.value)
    const read = readDraft(mended)
    return read.definition === null ? fail(noDraft(read.diagnostics)) : ok({ text: mended })
  } finally {
    signal.removeEventListener('abort', stop)
    await runtime.trash(id)
  }
}

async function ask(
  runtime: Runtime,
  conversationId: string,
  text: string,
  signal: AbortSignal,
): Promise<Result<string>> {
  if (signal.aborted) return fail(stopped)
  let said = ''
  const unsubscribe = runtime.subscribe((delta) => {
    if (delta.type !== 'event' || delta.conversationId !== conversationId) return
    if (delta.event.type === 'assistant-message') said = textOf(delta.event.content)
  })
  try {
    const sent = await runtime.send({ conversationId, agentId: null, content: [{ type: 'text', text }] })
    if (!sent.ok) return sent
    // Between sending and this nothing stops it: stopping is asked for again.
    if (signal.aborted) await runtime.stopConversation(conversationId)
    const { status, failure } = await runtime.settled(conversationId)
    if (signal.aborted || status === 'stopped') return fail(stopped)
    return failure === null ? ok(said) : fail(failure)
  } finally {
    unsubscribe()
  }
}

function readDraft(text: string): ReadDefinition {
  return readDefinition(text, { stem: 'draft', source: 'a draft' })
}

/** What is worth asking again for. */
function whatIsWrong({ definition, offered, diagnostics }: ReadDefinition): readonly Diagnostic[] {
  if (definition === null || !offered) return diagnostics
  return diagnostics.filter(({ severity }) => severity === 'error')
}

const stopped: Failure = { type: 'stopped', message: 'The draft was stopped.' }

function noDraft(diagnostics: readonly Diagnostic[]): Failure {
  const why = diagnostics[0]?.message ?? ''
  return {
    type: 'no-draft',
    message: `What the model wrote is no agent definition. ${why} Try again, or describe the agent in other words.`,
  }
}
