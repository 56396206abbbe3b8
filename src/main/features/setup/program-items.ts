/** What counts of the things that run programs: hooks, MCP servers and plugins. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import type { SetupItem } from '../../../shared/setup/setup.ts'
import { isRecord, parseJson } from '../../platform/json/json-text.ts'
import { exists } from '../../platform/system/exists.ts'
import { GROUP_OF_SOURCE } from './settings-items.ts'
import {
  FOLDER_UNTRUSTED,
  type ItemFindings,
  itemOf,
  notUsed,
  type SetupParts,
  stateFor,
} from './setup-item.ts'

/** The hooks, one item for each file or plugin that has some. */
export async function hookItems(folder: string, { home, hooks }: SetupParts): Promise<readonly SetupItem[]> {
  const { entries, problems } = await hooks.state(folder)
  const bySource = [...new Set(entries.map(({ sourceText, file }) => `${sourceText}\0${file ?? ''}`))]
  const items = bySource.map((key): SetupItem => {
    const own = entries.filter(({ sourceText, file }) => `${sourceText}\0${file ?? ''}` === key)
    const [first] = own
    const on = own.filter(({ state }) => state === 'on')
    const waiting = own.filter(({ state }) => state === 'new' || state === 'changed')
    const notes = own
      .filter(({ state }) => state !== 'on')
      .map(
        ({ definition, state }) => `${definition.event}: ${definition.run} ${HOOK_STATES[state] ?? state}.`,
      )
    const source = first?.source ?? 'own'
    const group =
      source === 'plugin'
        ? 'plugins'
        : source === 'agent' || source === 'project-agent'
          ? 'troupe'
          : GROUP_OF_SOURCE[source]
    const findings: ItemFindings = {
      state: waiting.length > 0 ? 'needs-you' : stateFor(on.length, notes),
      details: `${on.length} of ${countOf(own.length, 'hook')} on${waiting.length > 0 ? '. None of the others runs until you approve it' : ''}`,
      notes,
    }
    const place = { group, what: `Hooks of ${first?.sourceText ?? ''}`, file: first?.file ?? null, files: 0 }
    return itemOf(place, findings, { folder, home })
  })
  const place = { group: 'troupe', what: 'Hooks', file: null, files: 0 } as const
  return [...items, ...problems.map((note) => itemOf(place, notUsed(note), { folder, home }))]
}

const HOOK_STATES: Readonly<Record<string, string>> = {
  new: 'waits for your approval',
  changed: 'changed, and waits for your approval',
  off: 'is off: you refused it',
  disabled: 'is turned off by settings',
}

/** The MCP servers, one item for each file. */
export async function serverItems(
  folder: string,
  { home, mcp, isTrusted }: SetupParts,
): Promise<readonly SetupItem[]> {
  const { servers, problems } = await mcp.state(folder)
  const configured = servers.filter(({ source }) => source !== 'agent' && source !== 'plugin')
  const files = [...new Set(configured.map(({ file }) => file))]
  const items = files.map((file): SetupItem => {
    const own = configured.filter((server) => server.file === file)
    const notes = own.flatMap((server) => aboutServer(server))
    const waits = own.some(({ status }) => status.kind === 'waits' || status.kind === 'sign-in')
    const group = file?.startsWith(folder) && folder !== home ? 'project' : 'user'
    const findings: ItemFindings = {
      state: waits ? 'needs-you' : stateFor(own.length - notes.length, notes),
      details: countOf(own.length, 'server') + (notes.length === 0 ? '' : `. ${notes.join(' ')}`),
      notes,
    }
    const item = itemOf({ group, what: 'MCP servers', file }, findings, { folder, home })
    return file === null ? { ...item, shown: '--mcp-config' } : item
  })
  const project = join(folder, '.mcp.json')
  const unread = [
    ...problems.map(({ file, message }) => ({ group: 'user' as const, file, message })),
    ...(!isTrusted(folder) && (await exists(project))
      ? [{ group: 'project' as const, file: project, message: FOLDER_UNTRUSTED }]
      : []),
  ]
  return [
    ...items,
    ...unread.map(({ group, file, message }) =>
      itemOf({ group, what: 'MCP servers', file }, notUsed(message), { folder, home }),
    ),
  ]
}

function aboutServer({ name, status }: McpServerState): readonly string[] {
  switch (status.kind) {
    case 'waits':
      return [
        `${name} ${status.former === null ? 'waits for your approval' : 'changed, and waits for your approval'}.`,
      ]
    case 'off':
      return [`${name} is off.`]
    case 'failed':
      return [`${name} failed: ${status.message}`]
    case 'sign-in':
      return [`${name} waits for you to sign in.`]
    default:
      return []
  }
}

/** The plugins of Troupe, and the list of those that Claude Code has. */
export async function pluginItems({ home, plugins, dataFolder }: SetupParts): Promise<readonly SetupItem[]> {
  const all = await plugins.list()
  const items = all.map((plugin): SetupItem => {
    const kinds = [...new Set(plugin.parts.map(({ kind }) => kind))]
    const parts = kinds.map((kind) =>
      countOf(plugin.parts.filter((one) => one.kind === kind).length, kind.replace('-', ' ')),
    )
    const isOn = plugin.state === 'enabled'
    const why = {
      enabled: [],
      disabled: [`${plugin.name} is off. Enable it with "troupe plugins enable".`],
      changed: [`${plugin.name} is off: its content changed since you enabled it.`],
      unapproved: [`${plugin.name} was enabled by hand, so only its agents and skills are used.`],
      'turned-off': [`${plugin.name} is turned off by enabledPlugins.`],
    }[plugin.state]
    const notes = [...why, ...plugin.notUsed, ...plugin.problems]
    const isUsed = isOn || plugin.state === 'unapproved'
    const findings: ItemFindings = {
      state: plugin.state === 'changed' ? 'needs-you' : isUsed ? stateFor(1, notes) : 'not-used',
      details: isOn ? parts.join(', ') : (why[0] ?? ''),
      notes,
    }
    const place = { group: 'plugins', what: plugin.name, file: plugin.path, isFolder: true } as const
    const canTurnOn = !isOn && plugin.digest !== null && plugin.state !== 'turned-off'
    return {
      ...itemOf(place, findings, { folder: dataFolder, home }),
      ...(canTurnOn && { plugin: plugin.name }),
    }
  })
  return [...items, ...(await claudePlugins(home, new Set(all.map(({ name }) => name))))]
}

/** Plugins that Claude Code has installed. */
async function claudePlugins(home: string, known: ReadonlySet<string>): Promise<readonly SetupItem[]> {
  const file = join(home, '.claude', 'plugins', 'installed_plugins.json')
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return []
  const read = parseJson(text)
  const listed = read.ok && isRecord(read.value) ? read.value['plugins'] : null
  const names = isRecord(listed) ? Object.keys(listed) : []
  const missing = names.filter((name) => !known.has(name.split('@')[0] ?? ''))
  const findings: ItemFindings =
    names.length === 0
      ? notUsed('It lists no plugins that can be read.')
      : {
          state: missing.length === 0 ? 'used' : 'not-used',
          details: `${names.length - missing.length} of ${names.length} added to Troupe`,
          notes: missing.map(
            (name) => `${name} is not used: add it here with "troupe plugins add", which shows what it runs.`,
          ),
        }
  const place = { group: 'plugins', what: 'Plugins of Claude Code', file } as const
  return [itemOf(place, findings, { folder: home, home })]
}
