/** The login that an external agent wants, as a question of the editor. */
import type { PermissionOption, RequestPermissionOutcome, ToolCall } from '@agentclientprotocol/sdk'
import type { EventOf } from '../../../shared/agent-event.ts'
import type { LoginMethod } from '../../../shared/agent-program.ts'
import { textContent } from './tool-call-update.ts'

type LoginWanted = EventOf<'program-login'>

const METHOD = 'login:'

/** The ways to log in while the program runs, as options. Empty: there is none, and nothing to ask. */
export function loginOptions({ methods }: LoginWanted): PermissionOption[] {
  const ways = methods.filter(({ kind }) => kind !== 'environment')
  if (ways.length === 0) return []
  return [
    ...ways.map((method) => ({
      optionId: `${METHOD}${method.id}`,
      name: method.kind === 'terminal' ? `I have logged in: ${method.name}` : method.name,
      kind: 'allow_once' as const,
    })),
    { optionId: 'not-now', name: 'Not now', kind: 'reject_once' },
  ]
}

/** @param failed why the last attempt failed; null: it is the first one */
export function loginCall(id: string, { program, methods }: LoginWanted, failed: string | null): ToolCall {
  const lines = methods.flatMap(lineOf)
  return {
    toolCallId: id,
    title: `${program.title} needs a login`,
    kind: 'other',
    status: 'pending',
    content: [...(failed === null ? [] : [textContent(failed)]), ...lines.map(textContent)],
  }
}

/** The id of the chosen method; null: the user does not want to log in. */
export function chosenLogin(outcome: RequestPermissionOutcome): string | null {
  return outcome.outcome === 'selected' && outcome.optionId.startsWith(METHOD)
    ? outcome.optionId.slice(METHOD.length)
    : null
}

function lineOf({ name, description, kind, command, variables }: LoginMethod): readonly string[] {
  const about = description === '' ? name : `${name} (${description})`
  if (kind === 'terminal')
    return [`${about}: run this in a terminal, then say that you have logged in.\n\n    ${command ?? ''}`]
  if (kind === 'environment') return [`${about}: set ${variables.join(', ')} in the environment of Troupe.`]
  return [about]
}
