/** Lets an agent write a definition, in a temporary conversation without tools. */

import type { Diagnostic, ReadDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import {
  draftFixRequest,
  draftIn,
  draftRequest,
} from '../../../shared/agent-definition/definition-messages.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { LoadedDefinition } from '../../runtime/ports/definitions.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'

/** The built-in agent that writes definitions. */
export const WRITER = 'agent-writer'

interface DraftTask {
  readonly description: string
  readonly writer: LoadedDefinition
  readonly folder: string
}

/**
 * Returns the text of a definition. An unusable draft is sent back once with its problems; the second draft is returned
 * if it is a definition at all. Fails with `stopped`, `no-draft`, or the failure of the model request.
 */
export async function writeDraft(
  { description, writer, folder }: DraftTask,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Result<{ readonly text: string }>> {
  // The writer only writes its answer, regardless of its definition.
  const definition = { ...writer, tools: [], skills: [] }
  const created = await runtime.tryOut({ folder, definition })
  if (!created.ok) return created
  const { id } = created.value
  const stop = () => void runtime.dispatch({ type: 'conversation.stop', conversationId: id })
  signal.addEventListener('abort', stop, { once: true })
  try {
    const first = await ask({ runtime, conversationId: id, signal }, draftRequest(description))
    if (!first.ok) return first
    const draft = draftIn(first.value)
    const problems = seriousProblems(readDraft(draft))
    if (problems.length === 0) return ok({ text: draft })
    const second = await ask({ runtime, conversationId: id, signal }, draftFixRequest(problems))
    if (!second.ok) return second
    const fixed = draftIn(second.value)
    const read = readDraft(fixed)
    return read.definition === null ? fail(noDraft(read.diagnostics)) : ok({ text: fixed })
  } finally {
    signal.removeEventListener('abort', stop)
    await runtime.dispatch({ type: 'conversation.trash', conversationId: id })
  }
}

interface DraftConversation {
  readonly runtime: Runtime
  readonly conversationId: string
  readonly signal: AbortSignal
}

/** Sends a message to the writer. @returns its last answer */
async function ask(
  { runtime, conversationId, signal }: DraftConversation,
  text: string,
): Promise<Result<string>> {
  if (signal.aborted) return fail(stopped)
  let answer = ''
  const unsubscribe = runtime.subscribe((delta) => {
    if (delta.type !== 'event' || delta.conversationId !== conversationId) return
    if (delta.event.type === 'assistant-message') answer = textOf(delta.event.content)
  })
  try {
    const sent = await runtime.dispatch({
      type: 'conversation.send',
      conversationId,
      agentId: null,
      content: text,
    })
    if (!sent.ok) return sent
    // The abort may have come before the agent ran: stop it again.
    if (signal.aborted) await runtime.dispatch({ type: 'conversation.stop', conversationId })
    const { status, failure } = await runtime.settled(conversationId)
    if (signal.aborted || status === 'stopped') return fail(stopped)
    return failure === null ? ok(answer) : fail(failure)
  } finally {
    unsubscribe()
  }
}

function readDraft(text: string): ReadDefinition {
  return readDefinition(text, { stem: 'draft', source: 'a draft' })
}

/** The problems that are worth a second request. */
function seriousProblems({ definition, offered, diagnostics }: ReadDefinition): readonly Diagnostic[] {
  if (definition === null || !offered) return diagnostics
  return diagnostics.filter(({ severity }) => severity === 'error')
}

const stopped: Failure = { type: 'stopped', message: 'The draft was stopped.' }

function noDraft(diagnostics: readonly Diagnostic[]): Failure {
  const why = diagnostics[0]?.message ?? ''
  return {
    type: 'no-draft',
    message: `The model’s answer is not an agent definition. ${why} Try again, or change the description.`,
  }
}
