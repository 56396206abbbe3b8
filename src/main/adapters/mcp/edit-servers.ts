/** Writes and removes single MCP servers in the files where people configure them. All else in a file is kept. */
import { randomUUID } from 'node:crypto'
import { chmod, lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withMember } from '../../../shared/json-member.ts'
import { KeyedLock } from '../../../shared/keyed-lock.ts'
import type { McpAddition, McpPlace } from '../../../shared/mcp.ts'
import { nameProblem } from '../../../shared/mcp-entry-text.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import { replaceFile } from '../system/atomic-file.ts'
import { codeOf } from '../system/error-code.ts'
import { type McpEntry, transportOf } from './server-entry.ts'

interface Where {
  readonly folder: string
  readonly home: string
}

const lock = new KeyedLock()

const fileOf = ({ folder, home }: Where, place: McpPlace): string =>
  ({
    project: join(folder, '.mcp.json'),
    local: join(folder, '.claude', 'settings.local.json'),
    user: join(home, '.claude', 'settings.json'),
  })[place]

/** Fails with `bad-entry`, `name-taken`, or with `io` and `json` for the file, which then is unchanged. */
export async function writeEntry(
  where: Where,
  { name, place, definition, replace, before }: McpAddition,
): Promise<Result<void>> {
  const problem = nameProblem(name)
  if (problem !== null) return fail({ type: 'bad-entry', message: problem })
  if (transportOf(definition) === null)
    return fail({ type: 'bad-entry', message: 'The server has neither "command" nor "url".' })
  const file = fileOf(where, place)
  return edit(file, (text) => {
    const servers = serversIn(text)
    if (!replace && Object.hasOwn(servers, name))
      return fail({ type: 'name-taken', message: `${file} already has a server "${name}".` })
    return withMember(text, { path: pathOf(text, name), value: definition, before })
  })
}

/** Fails with `not-editable` for a server of another file than those that `writeEntry` writes. */
export async function removeEntry(where: Where, entry: McpEntry): Promise<Result<McpAddition>> {
  const { name, definition, file } = entry
  const place = PLACES.find((one) => fileOf(where, one) === file)
  if (place === undefined || file === null)
    return fail({
      type: 'not-editable',
      message: `"${name}" is configured ${file === null ? 'on the command line' : `in ${file}`}. Remove it there.`,
    })
  let before: string | null = null
  const removed = await edit(file, (text) => {
    const names = Object.keys(serversIn(text))
    before = names[names.indexOf(name) + 1] ?? null
    return withMember(text, { path: pathOf(text, name), value: undefined })
  })
  return removed.ok ? ok({ name, place, definition, replace: false, before }) : removed
}

const PLACES: readonly McpPlace[] = ['project', 'local', 'user']

async function edit(file: string, change: (text: string) => Result<string>): Promise<Result<void>> {
  return lock.withLock(file, async () => {
    try {
      const found = await lstat(file).catch((thrown: unknown) => {
        if (codeOf(thrown) === 'ENOENT') return null
        throw thrown
      })
      if (found?.isFile() === false)
        return fail({ type: 'io', message: `${file} is not a regular file. Edit it by hand.` })
      const text = found === null ? '' : await readFile(file, 'utf8')
      const changed = change(text)
      if (!changed.ok) {
        const { type, message } = changed.failure
        return type === 'json' ? fail({ type, message: `${file} is unchanged. ${message}` }) : changed
      }
      await replaceFile(file, changed.value, { durable: true, draft: `${file}.${randomUUID()}` })
      await chmod(file, found === null ? NEW_MODE : found.mode & 0o777)
      return ok(undefined)
    } catch (thrown) {
      return fail({
        type: 'io',
        message: `${file} could not be written: ${messageOf(thrown)}`,
        cause: thrown,
      })
    }
  })
}

const NEW_MODE = 0o644

/** A `.mcp.json` may be the object of servers itself. */
function pathOf(text: string, name: string): readonly [string, ...string[]] {
  return isBare(text) ? [name] : ['mcpServers', name]
}

function isBare(text: string): boolean {
  const raw = parsed(text)
  return (
    raw !== null &&
    !('mcpServers' in raw) &&
    Object.keys(raw).length > 0 &&
    Object.values(raw).every((value) => isObject(value) && transportOf(value) !== null)
  )
}

function serversIn(text: string): Readonly<Record<string, unknown>> {
  const raw = parsed(text)
  const servers = raw === null ? null : isBare(text) ? raw : raw['mcpServers']
  return isObject(servers) ? servers : {}
}

/** Null for a text that is no JSON object; the edit then says what is wrong with it. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const raw: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isObject(raw) ? raw : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
