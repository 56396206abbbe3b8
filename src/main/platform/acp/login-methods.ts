/** The ways to log in that an external agent offers. */
import type { LoginMethod } from '../../../shared/external-agents/external-agent.ts'
import { isRecord } from '../json/json-text.ts'
import { quotedWord } from '../shell/quoted-word.ts'
import { shortText, shortTextOf } from './content.ts'

/**
 * @param offered as the program sent them; nothing holds it to a shape
 * @param command the command line of the program
 */
export function loginMethodsOf(offered: readonly unknown[], command: string): readonly LoginMethod[] {
  return offered.flatMap((method): readonly LoginMethod[] => {
    if (!isRecord(method)) return []
    const id = method['id']
    if (typeof id !== 'string' || id === '') return []
    const base = {
      id,
      name: shortTextOf(method['name']) || id,
      description: shortTextOf(method['description']),
    }
    const variables = variablesOf(method)
    if (method['type'] === 'env_var' || variables.length > 0)
      return [{ ...base, kind: 'environment', command: null, variables }]
    const line = terminalLine(method, command)
    if (line !== null) return [{ ...base, kind: 'terminal', command: line, variables: [] }]
    return [{ ...base, kind: 'agent', command: null, variables: [] }]
  })
}

/** What the user types in a terminal; null: the method needs none. */
function terminalLine(method: Readonly<Record<string, unknown>>, command: string): string | null {
  const meta = isRecord(method['_meta']) ? method['_meta']['terminal-auth'] : null
  if (isRecord(meta) && typeof meta['command'] === 'string')
    return [meta['command'], ...wordsOf(meta['args'])].map(quotedWord).join(' ')
  if (method['type'] !== 'terminal') return null
  const set = isRecord(method['env']) ? Object.entries(method['env']) : []
  const given = set.flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name}=${quotedWord(value)}`] : [],
  )
  return [...given, command, ...wordsOf(method['args']).map(quotedWord)].join(' ')
}

/** The variables of a method that reads some: its list of names, or its only one. */
function variablesOf(method: Readonly<Record<string, unknown>>): readonly string[] {
  const listed = Array.isArray(method['vars']) ? method['vars'] : [method['varName']]
  return listed.flatMap((one) => {
    const name = isRecord(one) ? one['name'] : one
    return typeof name === 'string' && name !== '' ? [shortText(name)] : []
  })
}

const wordsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
