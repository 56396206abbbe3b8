/** Writes and removes single MCP servers in the files where people configure them. All else in a file is kept. */
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { McpAddition, McpPlace } from '../../../shared/mcp/mcp.ts'
import { nameProblem } from '../../../shared/mcp/mcp-entry-text.ts'
import { parseJson } from '../../platform/json/json-text.ts'
import { withMember } from '../../platform/json/splice-json.ts'
import { editTextFile } from '../../platform/system/edit-text-file.ts'
import { type McpEntry, transportOf } from './server-entry.ts'

interface Where {
  readonly folder: string
  readonly home: string
}

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
  return editTextFile(file, (text) => {
    const servers = serversIn(text)
    if (!replace && Object.hasOwn(servers, name))
      return fail({ type: 'name-taken', message: `${file} already has a server "${name}".` })
    return withMember(text, { path: pathOf(text, name), value: definition, before })
  })
}

/** Fails with `not-editable` for a server of another file than those that `writeEntry` writes. */
export async function removeServerEntry(where: Where, entry: McpEntry): Promise<Result<McpAddition>> {
  const { name, definition, file } = entry
  const place = PLACES.find((one) => fileOf(where, one) === file)
  if (place === undefined || file === null)
    return fail({
      type: 'not-editable',
      message: `"${name}" is configured ${file === null ? 'on the command line' : `in ${file}`}. Remove it there.`,
    })
  let before: string | null = null
  const removed = await editTextFile(file, (text) => {
    const names = Object.keys(serversIn(text))
    before = names[names.indexOf(name) + 1] ?? null
    return withMember(text, { path: pathOf(text, name), value: undefined })
  })
  return removed.ok ? ok({ name, place, definition, replace: false, before }) : removed
}

const PLACES: readonly McpPlace[] = ['project', 'local', 'user']

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
  const read = parseJson(text)
  return read.ok && isObject(read.value) ? read.value : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
