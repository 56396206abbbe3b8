/** Reads the external agent in a definition: `backing: acp` with `command`, `args` and `env`. */
import { maskSecrets } from '../kernel/mask-secrets.ts'
import type { ExternalAgentLaunch } from './agent-definition.ts'
import type { FrontmatterFields } from './frontmatter-fields.ts'

/** Null: the definition has no `backing`, or a wrong value, and then is not in use. */
export function externalAgentLaunchOf(fields: FrontmatterFields): ExternalAgentLaunch | null {
  const backing = fields.choice('backing', ['acp'])
  const command = fields.text('command')
  const args = argsOf(fields)
  const env = envOf(fields)
  if (backing === null) {
    const [idle] = (['command', 'args', 'env'] as const).filter((key) => fields.value(key) !== undefined)
    // Without backing a model of Troupe would carry out the agent, which nobody intended.
    if (idle !== undefined && fields.value('backing') === undefined)
      fields.complain(idle, 'Has an effect only with backing: acp. Add that line, or remove this one.')
    return null
  }
  if (command === null) {
    fields.complain('backing', 'acp needs command, the program to start.')
    return null
  }
  for (const [key, texts] of [['command', [command]] as const, ['args', args] as const])
    if (texts.some(isSecret)) fields.complain(key, secretIn)
  const [held] = RESTRICTIONS.filter((key) => isHeld(key, fields.value(key)))
  // A restriction without effect would be worse than no agent.
  if (held !== undefined)
    fields.complain('backing', `acp starts a program that can’t be held to ${held}. Remove ${held}.`)
  for (const [key, why] of WITHOUT_EFFECT) {
    const value = fields.value(key)
    if (value === undefined || value === null || value === false) continue
    const message = `${key} has no effect with backing: acp. ${why}`
    fields.tell(key, { code: `no-effect-${key}`, severity: 'warning', message, fixes: [] })
  }
  return { command, args, env }
}

/** The command line as a text, with the names of the variables. */
export function describeLaunch({ command, args, env }: ExternalAgentLaunch): string {
  const line = [command, ...args].map(quoted).join(' ')
  const names = Object.keys(env)
  return names.length === 0 ? line : `${line} (with ${names.join(', ')})`
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

function argsOf(fields: FrontmatterFields): readonly string[] {
  const value = fields.value('args')
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every(isPlain)) return value.map(String)
  fields.complain('args', 'Must be a list with one text for each argument.')
  return []
}

/** A list of names passes these variables on; a mapping gives values, which refer to others as `${NAME}`. */
function envOf(fields: FrontmatterFields): Readonly<Record<string, string>> {
  const value = fields.value('env')
  if (value === undefined || value === null) return {}
  const given: readonly (readonly [string, unknown])[] | null = Array.isArray(value)
    ? value.map((name) => [String(name), `\${${String(name)}}`])
    : typeof value === 'object'
      ? Object.entries(value)
      : null
  const wrong =
    given === null
      ? 'Must be a list of names, or values by name.'
      : given.map(([name, each]) => whatIsWrong(name, each)).find((reason) => reason !== null)
  if (given === null || typeof wrong === 'string') {
    fields.complain('env', wrong ?? '')
    return {}
  }
  return Object.fromEntries(given.map(([name, each]) => [name, String(each)]))
}

function whatIsWrong(name: string, value: unknown): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `${name} is not the name of a variable.`
  if (!isPlain(value)) return `The value of ${name} must be text.`
  const text = String(value)
  if (isSecret(`${name}=${text}`) || (SECRET_NAME.test(name) && !isReference(text)))
    return `The value of ${name} looks like a secret, which everybody who has the file could read. Set ${name} in your environment, and write the name alone: env: [${name}].`
  return null
}

/** The fields that Troupe can't enforce or pass on, because the program has its own tools and its own dialogue. */
const RESTRICTIONS = [
  'tools',
  'disallowedTools',
  'readOnly',
  'permissionMode',
  'hooks',
  /** Servers that it describes. Names of configured ones say which of them the program gets. */
  'mcpServers',
  'forkContext',
] as const

/** The fields that do not reach the program. Ignoring them makes nothing less safe. */
const WITHOUT_EFFECT = [
  ['maxTurns', 'The program does not tell how many turns it makes. Limit its time instead.'],
  ['memory', 'The program keeps its own memory.'],
  ['skills', 'The program has its own skills.'],
  ['thinking', 'The program decides when its model thinks.'],
  ['omitProjectInstructions', 'The program reads its own instructions.'],
] as const

function isHeld(key: (typeof RESTRICTIONS)[number], value: unknown): boolean {
  if (value === undefined || value === false) return false
  const names = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return key !== 'mcpServers' || !(names || typeof value === 'string')
}

const SECRET_NAME = /key|token|secret|passw|credential/i
const isReference = (text: string): boolean => text === '' || /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text)
const isSecret = (text: string): boolean => maskSecrets(text).count > 0
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
const secretIn =
  'Contains what looks like a secret, which everybody who has the file could read. Set it in your environment, and pass the variable on with env.'
