/**
 * What Claude Code reads of a definition. Its reader is not public, so these are rules measured with version 2.1.316;
 * `src/main/features/definitions/claude-code-reading.integration.test.ts` compares them with the real program.
 *
 * - The file begins with a line of three dashes, and the frontmatter ends at the next three dashes, wherever they are.
 * - What is not valid YAML is read again with each one-line value quoted that has a special character, and with two
 *   spaces for each tab at the start of a line.
 * - Line ends of Windows hide a value from that.
 * - An agent has a name and a description, both texts, and no invalid guard among its hooks.
 */
import { parseDocument } from 'yaml'
import { beyondYamlBounds } from '../kernel/yaml-bounds.ts'

export type ClaudeCodeReading =
  | {
      readonly kind: 'agent'
      readonly name: string
      /** The top-level keys. */
      readonly keys: readonly string[]
    }
  | {
      readonly kind: 'none'
      readonly obstacle: Obstacle
    }

export type Obstacle =
  | 'start'
  | 'end'
  | 'yaml'
  | 'name'
  | 'dashed-name'
  | 'colon-in-name'
  | 'description'
  | 'hooks'

export function claudeCodeReading(file: string): ClaudeCodeReading {
  const none = (obstacle: Obstacle): ClaudeCodeReading => ({ kind: 'none', obstacle })
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(file)
  if (opening === null) return none('start')
  const end = file.indexOf('---', opening[0].length)
  if (end === -1) return none('end')
  const text = file.slice(opening[0].length, end)
  const values = valuesOf(text) ?? valuesOf(quoted(text))
  if (values === null) return none('yaml')
  const { name, description, hooks } = values
  if (typeof name !== 'string' || name === '') return none('name')
  if (name.startsWith('-')) return none('dashed-name')
  if (name.normalize('NFKC').includes(':')) return none('colon-in-name')
  if (typeof description !== 'string' || description === '') return none('description')
  if (hooks !== undefined && hooks !== null && !areHooks(hooks)) return none('hooks')
  return { kind: 'agent', name, keys: Object.keys(values) }
}

/** Three dots end a document; Claude Code reads no second one. */
const SECOND_DOCUMENT = /^\.{3}[ \t]*\r?\n(?:[ \t\r]*(?:#.*)?\n)*[ \t]*[^#\s]/m

/** Null: not valid. A list or a single value has no keys. */
function valuesOf(text: string): Readonly<Record<string, unknown>> | null {
  if (text.includes('\0') || SECOND_DOCUMENT.test(text) || beyondYamlBounds(text) !== null) return null
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
  if (document.errors.length > 0) return null
  try {
    const values: unknown = document.toJS({ maxAliasCount: 100 })
    return isRecord(values) ? values : {}
  } catch {
    return null
  }
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [, key = '', value = ''] = /^([a-zA-Z_-]+):[ \t]+(\S.*?)[ \t]*$/.exec(line) ?? []
      const isQuoted = value.length > 1 && /^(["']).*\1$/.test(value)
      if (key === '' || isQuoted || !/[{}[\]*&#!|>%@`]|: |^,/.test(value))
        return line.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length))
      return `${key}: ${JSON.stringify(value)}`
    })
    .join('\n')
}

/** The events at which a hook can be a guard. Claude Code tolerates invalid hooks of other events. */
const GUARDED = ['PreToolUse', 'PermissionRequest']

function areHooks(hooks: unknown): boolean {
  if (!isRecord(hooks)) return false
  return GUARDED.map((event) => hooks[event] ?? []).every(
    (matchers) => Array.isArray(matchers) && matchers.every(isMatcher),
  )
}

function isMatcher(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { matcher = '', hooks } = value
  return typeof matcher === 'string' && Array.isArray(hooks) && hooks.every(isHook)
}

/** The key that a hook of each type needs. */
const NEEDED: Readonly<Record<string, string>> = {
  command: 'command',
  http: 'url',
  prompt: 'prompt',
  agent: 'prompt',
  mcp_tool: 'tool',
}

function isHook(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { type, timeout = 0, url = 'http:' } = value
  const needed = NEEDED[String(type)]
  return (
    needed !== undefined &&
    typeof value[needed] === 'string' &&
    typeof timeout === 'number' &&
    /^[a-z][\w+.-]*:/i.test(String(url))
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
