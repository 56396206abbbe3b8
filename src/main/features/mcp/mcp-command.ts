/** `troupe mcp list`, `test`, `approve`, `refuse`, `add` and `remove`: the MCP servers of a folder. */

import type { Dispatch } from '../../../shared/ipc/handlers.ts'
import type { McpServers } from '../../../shared/mcp/contract.ts'
import type { McpAddition, McpServerState, McpState } from '../../../shared/mcp/mcp.ts'
import { EXIT, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'

export interface McpContext extends Printing {
  readonly state: McpServers['state']
  readonly dispatch: Dispatch<`mcp.${'add' | 'approve' | 'refuse' | 'remove' | 'test'}`>
  readonly folder: string
  readonly trusted: boolean
}

interface ActOnServer {
  readonly verb: 'mcp-test' | 'mcp-approve' | 'mcp-refuse' | 'mcp-remove'
  readonly name: string
  readonly json: boolean
}

interface AddServer {
  readonly verb: 'mcp-add'
  readonly addition: McpAddition
  readonly json: boolean
}

/** The values of `troupe mcp …`. */
export type McpCommand = { readonly verb: 'mcp-list'; readonly json: boolean } | ActOnServer | AddServer

/** @returns the exit code */
export async function mcpCommand(command: McpCommand, context: McpContext): Promise<number> {
  const { dispatch, folder, errors } = context
  const state = await context.state(folder)
  if (command.verb === 'mcp-list') return list(command.json, state, context)
  if (command.verb === 'mcp-add') return add(command, context)
  const { name } = command
  const found = state.servers.find((server) => server.name === name)
  if (found === undefined) {
    const names = state.servers.map((server) => server.name).join(', ')
    errors.write(
      `No MCP server here is named "${oneLine(name)}". ${names === '' ? untrusted(context) || 'There is none.' : `There are: ${oneLine(names)}.`}\n`,
    )
    return EXIT.failed
  }
  if (command.verb !== 'mcp-remove') return act({ ...command, found }, context)
  const removed = await dispatch({ type: 'mcp.remove', folder, name })
  if (!removed.ok) {
    errors.write(`${oneLine(removed.failure.message)}\n`)
    return EXIT.failed
  }
  context.output.write(
    command.json
      ? jsonLine({ type: 'mcp-removed', ...removed.value })
      : `${oneLine(name)} is removed from ${oneLine(found.file ?? '')}. It was ${oneLine(JSON.stringify(found.definition))}\n`,
  )
  return EXIT.done
}

async function add(
  { addition, json }: AddServer,
  { state, dispatch, folder, output, errors }: McpContext,
): Promise<number> {
  const added = await dispatch({ type: 'mcp.add', folder, ...addition })
  if (!added.ok) {
    errors.write(`${oneLine(added.failure.message)}\n`)
    return EXIT.failed
  }
  const { name } = addition
  const now = (await state(folder)).servers.find((server) => server.name === name)
  output.write(
    json
      ? jsonLine({ type: 'mcp-server', ...now })
      : `${name} is added to ${oneLine(now?.file ?? '')} and approved. To try it: troupe mcp test ${name}\n`,
  )
  return EXIT.done
}

async function act(
  { verb, name, json, found }: ActOnServer & { readonly found: McpServerState },
  { state, dispatch, folder, output, errors }: McpContext,
): Promise<number> {
  // A test would start what nobody has approved.
  if (verb === 'mcp-test' && found.status.kind === 'waits') {
    errors.write(`${oneLine(name)} waits for approval and was not started. Run: troupe mcp approve ${name}\n`)
    return EXIT.failed
  }
  if (verb === 'mcp-approve' && !json) output.write(`${oneLine(name)} is defined as ${definition(found)}\n`)
  const done =
    verb === 'mcp-test'
      ? await dispatch({ type: 'mcp.test', folder, name })
      : await dispatch({ type: verb === 'mcp-approve' ? 'mcp.approve' : 'mcp.refuse', folder, name })
  if (!done.ok) {
    errors.write(`${oneLine(done.failure.message)}\n`)
    return EXIT.failed
  }
  const now = done.value ?? (await state(folder)).servers.find((server) => server.name === name)
  if (now !== undefined && verb === 'mcp-test') return tested(now, json, { output, errors })
  if (json) output.write(jsonLine({ type: 'mcp-server', ...now }))
  else
    output.write(
      verb === 'mcp-approve'
        ? `${oneLine(name)} is approved. It starts when an agent needs it. A changed definition asks again.\n`
        : `${oneLine(name)} is off. To use it again: troupe mcp approve ${name}\n`,
    )
  return EXIT.done
}

function tested(
  server: McpServerState,
  json: boolean,
  { output, errors }: Pick<McpContext, 'output' | 'errors'>,
): number {
  const { name, status, version, tools, log } = server
  const failed = status.kind === 'failed' || status.kind === 'sign-in'
  if (json) output.write(jsonLine({ type: 'mcp-server', ...server }))
  else if (failed) {
    for (const { kind, text } of log.slice(-LAST_LINES)) errors.write(`  ${kind}: ${oneLine(text)}\n`)
    errors.write(`${oneLine(name)}: ${statusText(server)}\n`)
  } else {
    output.write(`${oneLine(name)} works: ${oneLine(version ?? 'no version')}, ${tools.length} tools\n`)
    for (const tool of tools) output.write(`  ${oneLine(tool.name)}${detailOf(tool)}\n`)
  }
  return failed ? EXIT.failed : EXIT.done
}

function detailOf({ onlyReads, unusable }: McpServerState['tools'][number]): string {
  if (unusable !== undefined) return ` (not used: ${oneLine(unusable)})`
  return onlyReads ? ' (only reads)' : ''
}

/** Log lines printed for a server that failed. */
const LAST_LINES = 5

function list(json: boolean, { servers, problems }: McpState, context: McpContext): number {
  const { output, trusted } = context
  if (json) {
    for (const server of servers) output.write(jsonLine({ type: 'mcp-server', ...server }))
    for (const problem of problems) output.write(jsonLine({ type: 'problem', ...problem }))
    return EXIT.done
  }
  const width = Math.max(0, ...servers.map(({ name }) => name.length))
  for (const server of servers) {
    const { name, source, file, line, target } = server
    const place = file === null ? source : `${file}${line === null ? '' : `:${line}`}`
    output.write(
      `${oneLine(name).padEnd(width)}  ${statusText(server)}\n${' '.repeat(width)}  ${oneLine(target)}  (${oneLine(place)})\n`,
    )
  }
  if (servers.length === 0) output.write('No MCP servers here.\n')
  for (const { file, line, message } of problems)
    output.write(`problem: ${oneLine(`${file}${line === null ? '' : `:${line}`}: ${message}`)}\n`)
  if (!trusted) output.write(`${untrusted(context)}\n`)
  return EXIT.done
}

function statusText({ name, status, tools }: McpServerState): string {
  switch (status.kind) {
    case 'off':
      return `off; to use it: troupe mcp approve ${name}`
    case 'waits':
      return `${status.former === null ? 'new' : 'changed'}, waits for approval: troupe mcp approve ${name}`
    case 'idle':
      return 'starts when an agent needs it'
    case 'sign-in':
      return 'needs a sign-in in the window'
    case 'starting':
      return 'starting'
    case 'connected':
      return `connected, ${tools.length} tools`
    case 'failed':
      return `failed: ${oneLine(status.message)}`
  }
}

function untrusted({ trusted }: McpContext): string {
  return trusted ? '' : 'The folder is not trusted, so its own servers do not count. Add --trust to see them.'
}

function definition(server: McpServerState): string {
  const changed =
    server.status.kind === 'waits' && server.status.former !== null
      ? `\n  before: ${oneLine(JSON.stringify(server.status.former))}`
      : ''
  return `${oneLine(JSON.stringify(server.definition))}${changed}`
}
